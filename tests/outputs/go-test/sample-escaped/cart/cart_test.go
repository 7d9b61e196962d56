package cart

import (
	"syscall"
	"testing"
)

func TestFirst(t *testing.T) {}

func TestExits(t *testing.T) { syscall.Exit(0) }

func TestNever(t *testing.T) { t.Error("never seen") }
