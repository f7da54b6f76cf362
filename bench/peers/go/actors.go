// SPDX-License-Identifier: Apache-2.0

package main

// Programs of goroutines and channels, for the shapes of processes. A channel has room where its
// receiver need not answer each message.

const (
	batch    = 1_000
	senders  = 8
	places   = 1_024
	children = 10
)

// By the names of the cases.
var programs = map[string]program{
	"process-pingpong": pairs,
	"process-pairs":    pairs,
	"process-fanin":    fanIn,
	"process-ring":     ring,
	"process-spawn":    spawn,
	"skynet":           skynet,
}

type ball struct {
	from chan *ball
}

func pairs(size int, operations int64, m *meter) int64 {
	trips := max(1, operations/int64(size))
	pings := make([]chan *ball, size)
	answers := make(chan int64, size)
	done := make(chan bool, size)
	for i := range pings {
		ping, pong := make(chan *ball, 1), make(chan *ball, 1)
		pings[i] = ping
		go func() {
			for range trips {
				pong <- <-ping
			}
			<-ping
			close(pong)
			done <- true
		}()
		go func() {
			var answered int64
			for b := range pong {
				answered++
				b.from <- b
			}
			answers <- answered
		}()
	}
	m.start()
	for _, ping := range pings {
		ping <- &ball{ping}
	}
	for range pings {
		<-done
	}
	m.stop()
	var answered int64
	for range pings {
		answered += <-answers
	}
	check("answers", answered, int64(size)*trips)
	return answered
}

// The receiver's channel has a bound: that is the idiom, and quicker than a queue without.
func fanIn(size int, operations int64, m *meter) int64 {
	together := int64(senders * size)
	bursts := max(1, operations/together)
	items := make(chan string, places)
	drained := make(chan int64)
	m.start()
	for range bursts {
		for range senders {
			go func() {
				for range size {
					items <- "item"
				}
			}()
		}
		go func() {
			var received int64
			for range together {
				if <-items == "item" {
					received++
				}
			}
			drained <- received
		}()
		check("received", <-drained, together)
	}
	m.stop()
	return bursts * together
}

func ring(size int, operations int64, m *meter) int64 {
	laps := max(1, operations/int64(size))
	links := make([]chan string, size)
	for i := range links {
		links[i] = make(chan string, 1)
	}
	passed := make(chan int64, size)
	for i := range links {
		own, next := links[i], links[(i+1)%size]
		go func() {
			var count int64
			for range laps {
				next <- <-own
				count++
			}
			passed <- count
		}()
	}
	m.start()
	links[0] <- "token"
	var hops int64
	for range links {
		hops += <-passed
	}
	m.stop()
	check("hops", hops, int64(size)*laps)
	return hops
}

func spawn(_ int, operations int64, m *meter) int64 {
	batches := max(1, operations/batch)
	done := make(chan int64)
	m.start()
	go func() {
		greetings := make(chan string, batch)
		var count int64
		for range batches {
			for range batch {
				go func() { greetings <- "hello" }()
			}
			for range batch {
				if <-greetings == "hello" {
					count++
				}
			}
		}
		done <- count
	}()
	greeted := <-done
	m.stop()
	check("greetings", greeted, batches*batch)
	return greeted
}

func skynet(_ int, operations int64, m *meter) int64 {
	leaves := int64(1)
	for leaves*children <= operations {
		leaves *= children
	}
	sum := make(chan int64)
	m.start()
	go node(sum, 0, leaves)
	found := <-sum
	m.stop()
	check("sum of the leaves", found, leaves*(leaves-1)/2)
	return leaves
}

func node(parent chan int64, number, leaves int64) {
	if leaves == 1 {
		parent <- number
		return
	}
	parts := make(chan int64, children)
	each := leaves / children
	for i := range int64(children) {
		go node(parts, number+i*each, each)
	}
	var sum int64
	for range children {
		sum += <-parts
	}
	parent <- sum
}
