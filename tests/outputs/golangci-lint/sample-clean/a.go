package a

// Occurred tells.
func Occurred() {}
