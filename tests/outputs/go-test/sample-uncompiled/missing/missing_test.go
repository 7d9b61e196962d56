package missing

import (
	"testing"

	"example.org/nobody/nothing"
)

func TestMissing(t *testing.T) { nothing.Do() }
