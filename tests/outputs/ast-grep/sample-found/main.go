package main

import "os/exec"

func list(path string) error {
	return exec.Command("sh", "-c", "ls "+path).Run()
}
