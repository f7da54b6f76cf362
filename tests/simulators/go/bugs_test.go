// SPDX-License-Identifier: Apache-2.0

// Package simulators has the programs of Bugs.java as goroutines, 1,000 times each in a bubble of
// testing/synctest.
package simulators

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// Two goroutines read, wait and write; their waits meet at 2 ms.
func lostUpdate() int {
	counter := 0
	var both sync.WaitGroup
	both.Go(func() {
		read := counter
		time.Sleep(2 * ms)
		counter = read + 1
	})
	both.Go(func() {
		time.Sleep(ms)
		time.Sleep(ms)
		read := counter
		time.Sleep(2 * ms)
		counter = read + 1
	})
	both.Wait()
	return counter
}

// A server drops what comes while it works; the second client comes as it finishes, and waits
// without a time-out.
func forgottenTimeout() {
	busy := false
	request := func() {
		reply := make(chan int, 1)
		if !busy {
			busy = true
			go func() {
				time.Sleep(2 * ms)
				busy = false
				reply <- 1
			}()
		}
		<-reply
	}
	var both sync.WaitGroup
	both.Go(request)
	both.Go(func() {
		time.Sleep(ms)
		time.Sleep(ms)
		request()
	})
	both.Wait()
}

// Two locks in two orders; both are wanted at 2 ms.
func lockOrder() {
	var a, b sync.Mutex
	var both sync.WaitGroup
	both.Go(func() {
		a.Lock()
		time.Sleep(2 * ms)
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	both.Go(func() {
		time.Sleep(ms)
		time.Sleep(ms)
		b.Lock()
		time.Sleep(ms)
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	both.Wait()
}

// An entry expires at 3 ms, between a reader's check and its use.
func expiredEntry() (found, used bool) {
	var lock sync.Mutex
	began := time.Now()
	entries := map[string]time.Time{"k": began.Add(3 * ms)}
	contains := func() bool {
		lock.Lock()
		defer lock.Unlock()
		_, there := entries["k"]
		return there
	}
	var both sync.WaitGroup
	both.Go(func() {
		time.Sleep(ms)
		found = contains()
		time.Sleep(2 * ms)
		used = contains()
	})
	both.Go(func() {
		time.Sleep(2 * ms)
		time.Sleep(ms)
		lock.Lock()
		defer lock.Unlock()
		if !entries["k"].After(time.Now()) {
			delete(entries, "k")
		}
	})
	both.Wait()
	return
}

// Nothing waits between read and write.
func race() int {
	counter := 0
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { counter++ })
	}
	both.Wait()
	return counter
}

func count(t *testing.T, program func() bool) {
	failed := 0
	for range 1000 {
		synctest.Test(t, func(t *testing.T) {
			if !program() {
				failed++
			}
		})
	}
	if failed > 0 {
		t.Errorf("of 1000 runs %d failed", failed)
	}
}

func TestLostUpdate(t *testing.T) {
	count(t, func() bool { return lostUpdate() == 2 })
}

func TestExpiredEntry(t *testing.T) {
	count(t, func() bool {
		found, used := expiredEntry()
		return !found || used
	})
}

func TestRace(t *testing.T) {
	count(t, func() bool { return race() == 2 })
}

// The bubble panics: its goroutines are durably blocked.
func TestForgottenTimeout(t *testing.T) {
	count(t, func() bool { forgottenTimeout(); return true })
}

// The test hangs until its time-out: a goroutine that waits for a mutex is not durably blocked.
func TestLockOrder(t *testing.T) {
	count(t, func() bool { lockOrder(); return true })
}
