package a

import _ "example.com/shop/b"
