// Package assay answers a question about a C program: does this property hold
// on every run?
//
// The answer is true with a certificate that a second solver has accepted,
// false with a run that was replayed, or unknown with the reasons:
//
//	result, err := assay.Check(ctx, assay.Task{
//		Files:      []string{"f.c"},
//		Properties: []assay.Property{assay.UnreachCall},
//	})
//
// Four kinds of failure are never mixed. An *InputError is about the program
// or the question (a file that does not compile, an unknown property). An
// *EnvironmentError is about the machine (clang is missing). An
// *InternalError is a bug of assay. Everything else that prevents
// an answer (time, memory, a construct without model) is a Result whose
// Answer is Unknown.
package assay

import "assay/internal/user/version"

// Name is the name of the tool in reports.
const Name = "assay"

// Release is the version of this source tree; CHANGELOG.md tells what it holds.
const Release = "0.1.0"

// Version is the release together with the commit of the build, where known.
func Version() string { return version.Of(Release) }
