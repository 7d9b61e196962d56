package fine

import "fmt"

// Say says.
func Say() {
	fmt.Printf("%d\n", "text")
}
