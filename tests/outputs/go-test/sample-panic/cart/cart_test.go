package cart

import "testing"

func TestFirst(t *testing.T) {
	t.Error("an error before")
}

func TestPanics(t *testing.T) {
	var prices map[string]int
	t.Log("logged before")
	prices["apple"] = 1
}

func TestNever(t *testing.T) {}
