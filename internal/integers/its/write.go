package its

// Write writes a system in a format: koat, t2, smt2 or ari; ok is false for others.
func Write(s *System, format string) (text string, ok bool) {
	switch format {
	case "koat":
		return WriteKoAT(s), true
	case "t2":
		return WriteT2(s), true
	case "smt2":
		return WriteSMT(s), true
	case "ari":
		return WriteARI(s), true
	}
	return "", false
}
