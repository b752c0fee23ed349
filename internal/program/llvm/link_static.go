//go:build !llvm_shared

package llvm

// The libraries are those that `llvm-config-19 --link-static --libs core bitreader
// bitwriter irreader linker target passes analysis` names, users first, as a linker needs them; compression is
// what debug sections might have.
//
// Linked so, a start costs 6 ms; with the shared library, of which all is relocated at each start, 13 ms.

/*
#cgo LDFLAGS: -L/usr/lib/llvm-19/lib
#cgo LDFLAGS: -lLLVMPasses -lLLVMIRPrinter -lLLVMHipStdPar -lLLVMCoroutines -lLLVMipo -lLLVMInstrumentation -lLLVMVectorize
#cgo LDFLAGS: -lLLVMFrontendOpenMP -lLLVMFrontendOffloading -lLLVMCodeGen -lLLVMScalarOpts -lLLVMInstCombine -lLLVMObjCARCOpts
#cgo LDFLAGS: -lLLVMCodeGenTypes -lLLVMCFGuard -lLLVMAggressiveInstCombine -lLLVMTarget -lLLVMLinker -lLLVMTransformUtils
#cgo LDFLAGS: -lLLVMBitWriter -lLLVMAnalysis -lLLVMProfileData -lLLVMSymbolize -lLLVMDebugInfoBTF -lLLVMDebugInfoPDB
#cgo LDFLAGS: -lLLVMDebugInfoMSF -lLLVMDebugInfoDWARF -lLLVMObject -lLLVMTextAPI -lLLVMMCParser -lLLVMIRReader -lLLVMAsmParser
#cgo LDFLAGS: -lLLVMMC -lLLVMDebugInfoCodeView -lLLVMBitReader -lLLVMCore -lLLVMRemarks -lLLVMBitstreamReader
#cgo LDFLAGS: -lLLVMBinaryFormat -lLLVMTargetParser -lLLVMSupport -lLLVMDemangle
#cgo LDFLAGS: -lstdc++ -lm -l:libz.so.1 -l:libzstd.so.1
*/
import "C"
