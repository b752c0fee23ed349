// Package version says which version a build is.
package version

import "runtime/debug"

// Of is a release together with the commit of the build, where known.
func Of(release string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+dirty"
			}
		}
	}
	if revision == "" {
		return release
	}
	return release + " (" + revision[:min(12, len(revision))] + dirty + ")"
}
