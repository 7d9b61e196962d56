package shop

import "testing"

func TestPasses(t *testing.T) {}

func TestAtTheTop(t *testing.T) {
	t.Error("at the top")
}
