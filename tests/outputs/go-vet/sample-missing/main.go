package main

import "example.org/nobody/nothing"

func main() {
	nothing.Do()
}
