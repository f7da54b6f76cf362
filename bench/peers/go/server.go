// SPDX-License-Identifier: Apache-2.0

// The bench's servers in Go: what the standard library gives, a goroutine for each connection.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: server tcp-echo|http")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, GOMAXPROCS %d\n", runtime.Version(), runtime.GOMAXPROCS(0))
	fmt.Println("at", listener.Addr())
	go endWithDriver()
	switch os.Args[1] {
	case "tcp-echo":
		echo(listener)
	case "http":
		hello(listener)
	default:
		log.Fatalf("no server %q: there are tcp-echo and http", os.Args[1])
	}
}

func endWithDriver() {
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// net.Conn sets TCP_NODELAY by itself.
func echo(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer connection.Close()
			buffer := make([]byte, 4096)
			for {
				n, err := connection.Read(buffer)
				if err != nil {
					return
				}
				if _, err := connection.Write(buffer[:n]); err != nil {
					return
				}
			}
		}()
	}
}

// net/http sets Date and Content-Length by itself.
func hello(listener net.Listener) {
	greeting := []byte("Hello, World!")
	handler := http.NewServeMux()
	handler.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"text/plain"}
		w.Write(greeting)
	})
	log.Fatal(http.Serve(listener, handler))
}
