module example.com/shop

go 1.19

oops here
