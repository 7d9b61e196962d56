package user

import "example.com/shop/cart"

var total string = cart.Total()
