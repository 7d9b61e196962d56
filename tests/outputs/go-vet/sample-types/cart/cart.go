package cart

// Total has two mistakes.
func Total() int {
	var unused int
	return "three" + undefined
}
