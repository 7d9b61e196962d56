package three

import (
	"os"
	"testing"
)

func TestExits(t *testing.T) { os.Exit(3) }
