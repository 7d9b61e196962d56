package cart

import (
	"fmt"
	"testing"
)

func TestTotal(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []int
		want   int
	}{{"none", nil, 0}, {"one two", []int{1, 2}, 4}, {"five", []int{5}, 6}} {
		t.Run(c.name, func(t *testing.T) {
			if got := Total(c.prices); got != c.want {
				t.Errorf("Total(%v) = %d,\nwant %d", c.prices, got, c.want)
			}
		})
	}
}

func TestParentToo(t *testing.T) {
	t.Run("fine", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Fatal("bad subtest") })
	t.Error("its parent too")
}

func TestParentAlone(t *testing.T) {
	t.Run("fine", func(t *testing.T) {})
	t.Error("the parent alone")
}

func helper(t *testing.T) {
	t.Helper()
	t.Fatalf("in a helper: %d", 1)
}

func TestHelper(t *testing.T) {
	fmt.Println("some output")
	t.Log("logged before")
	helper(t)
}

func TestNoNewline(t *testing.T) {
	fmt.Print("half a line")
}

func TestSilent(t *testing.T) { t.Fail() }

func TestSkipped(t *testing.T) { t.Skip("later") }

// the form of testify's assertions
func TestAssertion(t *testing.T) {
	t.Errorf("\n%s", "\tError Trace:\t/home/me/shop/cart/cart_test.go:55\n\tError:      \tNot equal: \n\t            \texpected: 1\n\tTest:       \tTestAssertion")
}

func ExampleTotal() {
	fmt.Println(Total([]int{1}))
	// Output: 2
}

func FuzzTotal(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, price int) {
		if price == 1 {
			t.Error("one")
		}
	})
}
