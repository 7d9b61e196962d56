package names

import "testing"

func TestNames(t *testing.T) { undefined() }
