package leak

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	fmt.Println("2 goroutines were leaked")
	os.Exit(1)
}

func TestFine(t *testing.T) {}
