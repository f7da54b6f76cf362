// SPDX-License-Identifier: Apache-2.0

// The bench's programs in Go: what the standard library gives.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: peer TASK")
	}
	fmt.Printf("%s, GOMAXPROCS %d\n", runtime.Version(), runtime.GOMAXPROCS(0))
	task := os.Args[1]
	if task == "rounds" {
		answerOrders()
		return
	}
	go endWithDriver()
	serve(task)
}

func endWithDriver() {
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
