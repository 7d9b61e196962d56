package late

import (
	"testing"
	"time"
)

func TestLate(t *testing.T) {
	go func() { panic("in a goroutine") }()
	time.Sleep(time.Minute)
}
