// assay-clang is clang, linked statically, for one thing: to compile a C file to LLVM's bitcode or assembly, or to
// preprocess it.
//
// A start of Debian's clang costs 17 ms of a processor before it reads a file: half a million addresses in its
// shared libraries are written anew in each process. That is half of what assay takes for a small program.
// Linked statically at a fixed address, nothing has to be written: 4 ms.
//
// What is compiled, and how, is the same: the arguments go through clang's own driver, what the driver makes of
// them through its own front end, and the libraries are those of the package that has clang (scripts/clang.sh
// compares the versions). (1) Whatever is not that one thing, or of which the driver or the reading of the
// arguments says anything at all, is left to the clang that is installed, before anything is written.
// TestSameClang compares what both write, bit by bit.
//
// assay-clang __serve SOCKET COMMAND… runs a command, for which it compiles without starting anew (serve.cpp).

#include "clang.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

using namespace clang;

// Polly is an optimiser of loops that clang's libraries ask for. Nothing is optimised here.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}

namespace {

// passOn leaves everything to the clang that is installed.
[[noreturn]] void passOn(char **argv) {
  static char name[] = "clang-19"; // in what it says
  argv[0] = name;
  execv(CLANG, argv);
  std::perror("assay-clang: " CLANG);
  std::_Exit(1);
}

// Diagnostics collects what is said, so that nothing is said twice.
struct Diagnostics {
  IntrusiveRefCntPtr<DiagnosticOptions> options{new DiagnosticOptions()};
  TextDiagnosticBuffer buffer;
  DiagnosticsEngine engine{IntrusiveRefCntPtr<DiagnosticIDs>(new DiagnosticIDs()), &*options, &buffer, false};

  bool silent() const {
    return buffer.err_begin() == buffer.err_end() && buffer.warn_begin() == buffer.warn_end() &&
           buffer.note_begin() == buffer.note_end() && buffer.getNumErrors() == 0;
  }
};

// action is what the front end is to do, if it is the one thing, else null.
std::unique_ptr<FrontendAction> action(const CompilerInvocation &c) {
  const FrontendOptions &o = c.getFrontendOpts();
  if (!o.LLVMArgs.empty() || !o.Plugins.empty() || !o.AddPluginActions.empty() || o.Inputs.size() != 1 || o.ShowHelp || o.ShowVersion)
    return nullptr;
  switch (o.ProgramAction) {
  case frontend::EmitBC:
    return std::make_unique<EmitBCAction>();
  case frontend::EmitLLVM:
    return std::make_unique<EmitLLVMAction>();
  case frontend::PrintPreprocessedInput:
    return std::make_unique<PrintPreprocessedAction>();
  default:
    return nullptr;
  }
}

// run does what the arguments say, and returns the exit status, or −1 if it is to be left to the clang that is installed.
int run(int argc, char **argv) {
  llvm::SmallVector<const char *, 64> args(argv, argv + argc);
  args[0] = CLANG;
  Diagnostics ofDriver;
  driver::Driver driver(CLANG, llvm::sys::getDefaultTargetTriple(), ofDriver.engine);
  std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(args));
  if (!compilation || compilation->containsError() || compilation->getJobs().size() != 1 || !ofDriver.silent())
    return -1;
  const driver::Command &job = *compilation->getJobs().begin();
  const llvm::opt::ArgStringList &list = job.getArguments();
  if (list.empty() || llvm::StringRef(list[0]) != "-cc1" || compilation->getArgs().hasArg(driver::options::OPT__HASH_HASH_HASH))
    return -1;

  auto compiler = std::make_unique<CompilerInstance>();
  Diagnostics ofArguments;
  bool read = CompilerInvocation::CreateFromArgs(compiler->getInvocation(), llvm::ArrayRef(list).drop_front(), ofArguments.engine, CLANG);
  std::unique_ptr<FrontendAction> act = action(compiler->getInvocation());
  if (!read || !ofArguments.silent() || !act)
    return -1;
  compiler->createDiagnostics();
  if (!compiler->hasDiagnostics())
    return -1;
  bool compiled = compiler->ExecuteAction(*act);
  (void)compiler.release(), (void)act.release(), (void)compilation.release(); // without the destructors
  return compiled ? 0 : 1;
}

} // namespace

void compile(int argc, char **argv) {
  int status = run(argc, argv);
  if (status < 0)
    passOn(argv);
  llvm::outs().flush();
  llvm::errs().flush();
  std::_Exit(status);
}

void rehearse() {
  std::vector<const char *> args{CLANG, "-Werror", "-x", "c", "-g", "-emit-llvm", "-c", "-o", "/dev/null", "/dev/null"};
  run(int(args.size()), const_cast<char **>(args.data()));
}

int main(int argc, char **argv) {
  noteBottomOfStack();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser(); // of assembly in C
  if (argc > 3 && llvm::StringRef(argv[1]) == "__serve")
    serve(argv[2], argv + 3);
  compile(argc, argv);
}
