// Package witnesses compares what is said of changed witnesses with an oracle that knows nothing of how witnesses are judged: the programs are compiled
// with clang, with the claims of the witnesses as code at marked places, and run on all inputs.
package witnesses
