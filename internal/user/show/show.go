// Package show says in terms of C what engines and checkers say in terms of ir: where
// something goes wrong, why a certificate is one, what a run does step by step. It
// decides nothing, and runs no engine.
package show
