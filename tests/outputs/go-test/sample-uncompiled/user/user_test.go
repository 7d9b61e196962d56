package user

import (
	"testing"

	"example.com/shop/bad"
)

func TestUser(t *testing.T) { bad.F() }
