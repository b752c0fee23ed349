package ltl

// Rule is a rule of the table, for tests outside of the package.
type Rule struct{ Match, Result, When string }

// Rules are those of the table.
func Rules() (all []Rule) {
	for _, r := range rules {
		all = append(all, Rule{r.match, r.result, r.when})
	}
	return all
}
