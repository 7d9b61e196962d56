package cart

import "sync"

// Lock copies its argument.
func Lock(m sync.Mutex) {
	count := 1
	count = count
}
