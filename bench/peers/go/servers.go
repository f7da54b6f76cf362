// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
)

// serve answers requests until the process ends, with a goroutine for each connection.
func serve(name string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("at", listener.Addr())
	switch name {
	case "tcp-echo":
		echo(listener)
	case "http":
		hello(listener)
	default:
		log.Fatalf("no task %q: there are tcp-echo, http, and rounds", name)
	}
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
