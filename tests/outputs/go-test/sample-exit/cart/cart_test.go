package cart

import (
	"os"
	"testing"
)

func TestFirst(t *testing.T) {}

func TestExits(t *testing.T) { os.Exit(0) }

func TestNever(t *testing.T) { t.Error("never seen") }
