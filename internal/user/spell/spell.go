// Package spell guesses what a misspelt name was meant to be.
package spell

import "strings"

// Nearest is the name with the smallest edit distance, if it is small.
func Nearest(name string, names []string) string {
	best, at := 1+len(name)/2, ""
	for _, n := range names {
		if d := editDistance(strings.ToLower(name), n); d < best {
			best, at = d, n
		}
	}
	return at
}

// editDistance is the number of insertions, deletions and replacements of
// single bytes that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
