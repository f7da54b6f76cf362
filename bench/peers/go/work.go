// SPDX-License-Identifier: Apache-2.0

package main

// Programs in which goroutines compute: how they share the processors, and what they take to wait.

import (
	"runtime"
	"sort"
	"sync"
	"syscall"
	"time"
)

const (
	leafRounds  = 10_000
	spreadRound = 100_000
	hogTime     = 50 * time.Microsecond
	busyTime    = 20 * time.Millisecond
	pause       = 100 * time.Microsecond
)

func init() {
	programs["channel-0"] = items
	programs["channel-1"] = items
	programs["channel-64"] = items
	programs["steal"] = steal
	programs["memory-process"] = memory
	programs["fairness-hog"] = hogs
	programs["fairness-busy"] = busy
	programs["fairness-spread"] = spread
}

func compute(seed uint64, rounds int) uint64 {
	x := seed | 1
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func hold(long time.Duration) {
	for begin := time.Now(); time.Since(begin) < long; {
	}
}

// One goroutine sends, another receives.
func items(capacity int, operations int64, m *meter) int64 {
	const warm = 1_000
	channel := make(chan *int, capacity)
	item := new(int)
	go func() {
		for range warm + operations {
			channel <- item
		}
	}()
	for range warm {
		<-channel
	}
	m.start()
	for range operations {
		<-channel
	}
	m.stop()
	return operations
}

// On one processor, then on all of them.
func steal(_ int, operations int64, m *meter) int64 {
	all := runtime.GOMAXPROCS(1)
	begin := time.Now()
	alone := part(0, operations)
	took := time.Since(begin)
	runtime.GOMAXPROCS(all)
	m.start()
	together := part(0, operations)
	m.stop()
	check("result", together, alone)
	m.counts["speed-up"] = float64(took) / float64(m.wall)
	return operations
}

func part(first, leaves int64) int64 {
	if leaves == 1 {
		return int64(compute(uint64(first), leafRounds) & 0xffff)
	}
	tenth := max(1, leaves/10)
	small := make(chan int64, 1)
	go func() { small <- part(first, tenth) }()
	large := part(first+tenth, leaves-tenth)
	return large + <-small
}

// What the runtime has for idle goroutines: their stacks, and what is live on the heap.
func memory(_ int, operations int64, m *meter) int64 {
	before := inUse()
	release := make(chan bool)
	var started, ended sync.WaitGroup
	started.Add(int(operations))
	ended.Add(int(operations))
	m.start()
	for range operations {
		inbox := make(chan string, 1)
		go func() {
			defer ended.Done()
			started.Done()
			select {
			case <-inbox:
			case <-release:
			}
		}()
	}
	started.Wait()
	m.stop()
	m.counts["live-bytes"] = float64(inUse()-before) / float64(operations)
	close(release)
	ended.Wait()
	return operations
}

func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}

func report(waits []time.Duration, m *meter) {
	sort.Slice(waits, func(i, j int) bool { return waits[i] < waits[j] })
	last := len(waits) - 1
	m.counts["p99-millis"] = float64(waits[(len(waits)*99+99)/100-1]) / 1e6
	m.counts["worst-millis"] = float64(waits[last]) / 1e6
}

// What comes from outside is a timer here: a goroutine that sends would hand its own turn to the victim.
func hogs(_ int, operations int64, m *meter) int64 {
	ended := make(chan bool)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for {
				select {
				case <-ended:
					return
				default:
					hold(hogTime)
				}
			}
		}()
	}
	waits := make([]time.Duration, operations)
	m.start()
	for i := range waits {
		due := time.Now().Add(pause)
		time.Sleep(pause)
		waits[i] = time.Since(due)
	}
	m.stop()
	close(ended)
	report(waits, m)
	return operations
}

func busy(_ int, operations int64, m *meter) int64 {
	idle, took := make(chan time.Time, 1), make(chan time.Duration, 1)
	go func() {
		for sent := range idle {
			took <- time.Since(sent)
		}
	}()
	waits := make([]time.Duration, operations)
	m.start()
	for i := range waits {
		time.Sleep(pause)
		idle <- time.Now()
		hold(busyTime)
		waits[i] = <-took
	}
	m.stop()
	close(idle)
	report(waits, m)
	return operations
}

func spread(size int, operations int64, m *meter) int64 {
	times := max(1, operations/int64(size))
	shares := map[int]int64{}
	var lock sync.Mutex
	var computed sync.WaitGroup
	inboxes := make([]chan bool, size)
	for i := range inboxes {
		inboxes[i] = make(chan bool, 1)
		go func() {
			var result uint64 = 1
			for range inboxes[i] {
				result = compute(result, spreadRound)
				lock.Lock()
				shares[syscall.Gettid()]++
				lock.Unlock()
				computed.Done()
			}
		}()
	}
	m.start()
	for range times {
		computed.Add(size)
		for _, inbox := range inboxes {
			inbox <- true
		}
		computed.Wait()
	}
	m.stop()
	var all, most int64
	for _, share := range shares {
		all += share
		most = max(most, share)
	}
	check("computed", all, times*int64(size))
	m.counts["busiest-percent"] = 100 * float64(most) / float64(all)
	for _, inbox := range inboxes {
		close(inbox)
	}
	return all
}
