// SPDX-License-Identifier: Apache-2.0

package main

// Programs of goroutines alone: how they switch, start, sleep, and what they take on the heap.

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	warmLaps = 10
	padding  = 8 // a cache line of counters
)

func init() {
	programs["switch"] = yields
	programs["switch-1000"] = yields
	programs["switch-100000"] = yields
	programs["spawn-batch"] = spawnBatch
	programs["spawn-one"] = spawnOne
	programs["memory"] = parked
	programs["memory-depth-10"] = parked
	programs["memory-depth-50"] = parked
	programs["timers"] = armAndCancel
	programs["timers-replace"] = replace
	programs["timers-fire"] = fire
	programs["timers-late"] = late
}

// On one processor, which costs less than on several: there they would take turns with locks. Measured from the
// moment the last one is warm until the first one ends; each counts its own turns.
func yields(size int, operations int64, m *meter) int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	laps := max(2, operations/int64(size))
	turns := make([]int64, size*padding)
	var warm atomic.Int64
	var stopped atomic.Bool
	var ended sync.WaitGroup
	var ran int64
	ended.Add(size)
	for i := range size {
		go func() {
			defer ended.Done()
			for range warmLaps {
				runtime.Gosched()
			}
			if warm.Add(1) == int64(size) {
				m.start()
			}
			own := &turns[i*padding]
			for range laps {
				runtime.Gosched()
				*own++
			}
			if stopped.CompareAndSwap(false, true) {
				m.stop()
				for j := range size {
					ran += turns[j*padding]
				}
			}
		}()
	}
	ended.Wait()
	return ran
}

func spawnBatch(size int, operations int64, m *meter) int64 {
	batches := max(1, operations/int64(size))
	var ended sync.WaitGroup
	m.start()
	for range batches {
		ended.Add(size)
		for range size {
			go ended.Done()
		}
		ended.Wait()
	}
	m.stop()
	return batches * int64(size)
}

func spawnOne(_ int, operations int64, m *meter) int64 {
	var finished int64
	done := make(chan struct{})
	m.start()
	for range operations {
		go func() {
			finished++
			done <- struct{}{}
		}()
		<-done
	}
	m.stop()
	check("finished", finished, operations)
	return operations
}

// Parked below so many frames.
func parked(depth int, operations int64, m *meter) int64 {
	before := inUse()
	release := make(chan bool)
	var started, ended sync.WaitGroup
	started.Add(int(operations))
	ended.Add(int(operations))
	m.start()
	for range operations {
		go func() {
			defer ended.Done()
			descend(depth, &started, release)
		}()
	}
	started.Wait()
	m.stop()
	m.counts["live-bytes"] = float64(inUse()-before) / float64(operations)
	close(release)
	ended.Wait()
	return operations
}

//go:noinline
func descend(frames int, started *sync.WaitGroup, release chan bool) int {
	if frames > 1 {
		return descend(frames-1, started, release) + 1 // no tail call
	}
	started.Done()
	<-release
	return 0
}

// Delays that are drawn before the meter starts, in a range of milliseconds.
func delays(from, to int) func() time.Duration {
	const drawn = 1 << 16
	random := rand.New(rand.NewSource(42))
	nanos := make([]time.Duration, drawn)
	for i := range nanos {
		nanos[i] = time.Duration(from)*time.Millisecond +
			time.Duration(random.Int63n(int64(to-from)*int64(time.Millisecond)))
	}
	next := 0
	return func() time.Duration {
		next++
		return nanos[next&(drawn-1)]
	}
}

// Of timers that never fire while a bench runs.
var never = delays(600_000, 4_200_000)

// Kept between the rounds of a case.
var outstanding []*time.Timer

func fill(count int) {
	if len(outstanding) == count {
		return
	}
	for _, timer := range outstanding {
		timer.Stop()
	}
	outstanding = make([]*time.Timer, count)
	for i := range outstanding {
		outstanding[i] = time.AfterFunc(never(), nothing)
	}
}

func nothing() {}

func armAndCancel(size int, operations int64, m *meter) int64 {
	fill(size)
	m.start()
	for range operations {
		time.AfterFunc(never(), nothing).Stop()
	}
	m.stop()
	return operations
}

func replace(size int, operations int64, m *meter) int64 {
	fill(size)
	m.start()
	for i := range operations {
		slot := i % int64(size)
		outstanding[slot].Stop()
		outstanding[slot] = time.AfterFunc(never(), nothing)
	}
	m.stop()
	return operations
}

func fire(_ int, operations int64, m *meter) int64 {
	fill(0)
	soon := delays(500, 1_000)
	var ended sync.WaitGroup
	ended.Add(int(operations))
	m.start()
	for range operations {
		time.AfterFunc(soon(), ended.Done)
	}
	ended.Wait()
	m.stop()
	return operations
}

func late(_ int, operations int64, m *meter) int64 {
	fill(0)
	soon := delays(500, 1_000)
	took := make([]time.Duration, operations)
	var ended sync.WaitGroup
	ended.Add(int(operations))
	m.start()
	for i := range operations {
		delay := soon()
		due := time.Since(epoch) + delay
		time.AfterFunc(delay, func() {
			took[i] = time.Since(epoch) - due
			ended.Done()
		})
	}
	ended.Wait()
	m.stop()
	m.tell(took)
	return operations
}
