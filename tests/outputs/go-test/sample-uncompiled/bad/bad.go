package bad

// F is wrong.
func F() int { return "text" }
