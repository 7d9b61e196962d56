module example.invalid/a

go 1.22
