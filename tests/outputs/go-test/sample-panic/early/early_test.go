package early

import "testing"

func init() { panic("before any test") }

func TestEarly(t *testing.T) {}
