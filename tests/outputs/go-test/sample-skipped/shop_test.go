package shop

import "testing"

func TestLater(t *testing.T) { t.Skip("later") }
