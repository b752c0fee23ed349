# Runs the tool-info module as BenchExec does. Arguments: the module, the executable. Standard input: a list of
# tasks in JSON. Output: for each the command line, and what its output means.
import collections
import importlib.util
import json
import subprocess
import sys

spec = importlib.util.spec_from_file_location("assay", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
tool = module.Tool()

Task = collections.namedtuple("Task", "input_files input_files_or_identifier property_file options")
Limits = collections.namedtuple("Limits", "cputime walltime memory cpu_cores")
Exit = collections.namedtuple("Exit", "value signal")
Run = collections.namedtuple("Run", "cmdline exit_code output was_timeout termination_reason")


class Locator:
    def find_executable(self, name, subdir=""):
        assert (name, subdir) == ("assay", "bin"), (name, subdir)
        return sys.argv[2]


executable = tool.executable(Locator())
answers = []
for t in json.load(sys.stdin):
    task = Task(t["files"], t["files"], t.get("property"), t.get("options"))
    limits = Limits(t.get("cputime"), t.get("walltime"), t.get("memory"), None)
    command = tool.cmdline(executable, t.get("arguments", []), task, limits)
    answer = {"command": command[1:]}
    if "output" in t:
        output, code, signal = t["output"].splitlines(), t.get("exit", 0), t.get("signal")
    elif t.get("run"):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output, code, signal = done.stdout.splitlines(), done.returncode, None
    else:
        answers.append(answer)
        continue
    run = Run(command, Exit(None if signal else code, signal), output, t.get("timeout", False), None)
    answer["result"] = tool.determine_result(run)
    answer["value"] = tool.get_value_from_output(output, "certificate")
    answers.append(answer)
json.dump({"name": tool.name(), "version": tool.version(executable), "tasks": answers}, sys.stdout)
