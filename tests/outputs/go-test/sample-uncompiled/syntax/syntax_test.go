package syntax

import "testing"

func TestSyntax(t *testing.T { }
