package b

import _ "example.com/shop/a"
