package a

import "os"

// Occured tells.
func Occured() {
	os.Remove("a")
}
