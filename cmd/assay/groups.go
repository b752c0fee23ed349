package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file gives commands with many flags one form: the flags come in titled groups, in the help in the order in which
// they are declared, and the help ends with the exit codes. Commands that share flags take groups of one another by title.

// group is a titled set of flags in the help.
type group struct {
	title string
	flags *pflag.FlagSet
}

// groups are those of a command.
type groups []group

// the titles of the groups that several commands share
const (
	questionTitle = "The question"
	programTitle  = "The program"
	searchTitle   = "The search"
	limitsTitle   = "Limits"
	outputTitle   = "The output"
)

// titled is the group of a title, and a bug if there is none.
func (list groups) titled(title string) group {
	i := slices.IndexFunc(list, func(g group) bool { return g.title == title })
	if i < 0 {
		panic("no group of flags has the title " + title)
	}
	return list[i]
}

// lookup is a flag of any of the groups, and a bug if there is none.
func (list groups) lookup(name string) *pflag.Flag {
	for _, g := range list {
		if f := g.flags.Lookup(name); f != nil {
			return f
		}
	}
	panic("no group of flags has --" + name)
}

// chosen is a group of some flags of the list.
func (list groups) chosen(title string, names ...string) group {
	g := group{title, pflag.NewFlagSet("", pflag.ContinueOnError)}
	for _, name := range names {
		g.flags.AddFlag(list.lookup(name))
	}
	return g
}

// add gives the flags to a command behind its own, in the order of their declaration.
func (list groups) add(c *cobra.Command) {
	for _, g := range list {
		g.flags.SortFlags = false
		c.Flags().AddFlagSet(g.flags)
	}
	c.Flags().SortFlags = false
}

// describe gives the flags to a command whose help shows them in groups, and ends with what is said of exit codes.
func (list groups) describe(c *cobra.Command, exits string) {
	list.add(c)
	c.SetUsageFunc(func(c *cobra.Command) error {
		w := c.OutOrStdout()
		fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
		for _, g := range list {
			fmt.Fprintf(w, "\n%s:\n%s", g.title, g.flags.FlagUsages())
		}
		fmt.Fprintf(w, "\n%s", exits)
		return nil
	})
}
