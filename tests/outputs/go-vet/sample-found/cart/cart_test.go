package cart

import "testing"

func TestLock(t *testing.T) {
	t.Errorf("%s", 1)
}
