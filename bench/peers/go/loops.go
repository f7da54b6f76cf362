// SPDX-License-Identifier: Apache-2.0

package main

// Programs in which goroutines exchange something: values, items, permits.

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	permits  = 4
	slots    = 5
	holdTime = time.Millisecond
	ideal    = float64(16-slots) / slots * float64(holdTime)
)

func init() {
	programs["await-one"] = awaitOne
	programs["await-two"] = awaitTwo
	programs["select-0"] = selects
	programs["select-1"] = selects
	programs["select-64"] = selects
	programs["semaphore"] = semaphore
	programs["semaphore-contended"] = semaphore
	programs["fairness-pool"] = pool
	programs["thread-channel-between-loops"] = func(_ int, operations int64, m *meter) int64 {
		return items(64, operations, m)
	}
}

// A goroutine whose value comes through a channel.
func async() chan int64 {
	value := make(chan int64, 1)
	go func() { value <- 1 }()
	return value
}

func awaitOne(_ int, operations int64, m *meter) int64 {
	var sum int64
	m.start()
	for range operations {
		sum += <-async()
	}
	m.stop()
	check("sum", sum, operations)
	return operations
}

func awaitTwo(_ int, operations int64, m *meter) int64 {
	var sum int64
	m.start()
	for range operations {
		first, second := async(), async()
		sum += <-first + <-second
	}
	m.stop()
	check("sum", sum, 2*operations)
	return operations
}

// Two goroutines send, a third one receives from either.
func selects(capacity int, operations int64, m *meter) int64 {
	const warm = 1_000
	even := operations / 2 * 2
	produce := func() chan *int {
		channel := make(chan *int, capacity)
		item := new(int)
		go func() {
			for range (warm + even) / 2 {
				channel <- item
			}
		}()
		return channel
	}
	left, right := produce(), produce()
	receive := func() {
		select {
		case <-left:
		case <-right:
		}
	}
	for range warm {
		receive()
	}
	m.start()
	for range even {
		receive()
	}
	m.stop()
	return even
}

// A buffered channel is the semaphore of the standard library.
func semaphore(users int, operations int64, m *meter) int64 {
	taken := make(chan struct{}, permits)
	if users == 1 {
		m.start()
		for range operations {
			taken <- struct{}{}
			<-taken
		}
		m.stop()
		return operations
	}
	each := operations / int64(users)
	var ended sync.WaitGroup
	m.start()
	ended.Add(users)
	for range users {
		go func() {
			defer ended.Done()
			for range each {
				taken <- struct{}{}
				runtime.Gosched()
				<-taken
			}
		}()
	}
	ended.Wait()
	m.stop()
	return each * int64(users)
}

// A channel of resources.
func pool(users int, operations int64, m *meter) int64 {
	free := make(chan *int, slots)
	for range slots {
		free <- new(int)
	}
	each := operations / int64(users)
	var worst atomic.Int64
	var ended sync.WaitGroup
	m.start()
	ended.Add(users)
	for range users {
		go func() {
			defer ended.Done()
			var longest time.Duration
			for range each {
				begun := time.Now()
				resource := <-free
				longest = max(longest, time.Since(begun))
				time.Sleep(holdTime)
				free <- resource
			}
			for old := worst.Load(); old < int64(longest) && !worst.CompareAndSwap(old, int64(longest)); {
				old = worst.Load()
			}
		}()
	}
	ended.Wait()
	m.stop()
	m.counts["times-ideal"] = float64(worst.Load()) / ideal
	m.counts["worst-millis"] = float64(worst.Load()) / 1e6
	return each * int64(users)
}
