// Command whatif tells which devices would serve a pod, and why others do not, from what kubectl prints.
package main

import (
	"os"

	"github.com/accelfit/accelfit/examples/whatif/internal/command"
)

func main() { os.Exit(command.Main()) }
