package ir

// For tests outside of the package.
var Canon = canon

const Sample = sample
