package cart

import "testing"

func TestTotal(t *testing.T) {
	for _, prices := range [][]int{nil, {1, 2}} {
		t.Run("prices", func(t *testing.T) {
			if Total(prices) < 0 {
				t.Error("negative")
			}
		})
	}
}

func TestLater(t *testing.T) {
	t.Skip("later")
}
