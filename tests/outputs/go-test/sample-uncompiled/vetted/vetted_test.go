package vetted

import (
	"fmt"
	"testing"
)

func TestVetted(t *testing.T) { fmt.Printf("%d\n", "text") }
