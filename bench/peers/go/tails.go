// SPDX-License-Identifier: Apache-2.0

package main

// Pairs of goroutines that are sent messages at a fixed rate, and how long their answers took from the moment each
// was due.

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

const inbox = 1_024

func init() {
	for _, shape := range []string{"tails-pairs", "tails-fairness"} {
		for _, part := range []string{"-peak", "-25", "-50", "-75"} {
			pairs, hogs := 64, shape == "tails-fairness"
			if hogs {
				pairs = 1
			}
			closed := part == "-peak"
			programs[shape+part] = func(size int, operations int64, m *meter) int64 {
				if closed {
					size = 0
				}
				return paced(pairs, hogs, size, operations, m)
			}
		}
	}
}

// The sender gets a processor more: it never sleeps, and is outside of what is measured.
func paced(pairs int, hogs bool, perSecond int, operations int64, m *meter) int64 {
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	runtime.GOMAXPROCS(processors + 1)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	firsts := make([]chan time.Duration, pairs)
	answered := make([]atomic.Int64, pairs*padding)
	took := make([][]time.Duration, pairs)
	done := make(chan bool, pairs)
	for i := range firsts {
		first, second, back := make(chan time.Duration, inbox), make(chan time.Duration, 1), make(chan time.Duration, 1)
		firsts[i] = first
		go func() {
			for due := range first {
				second <- due
				took[i] = append(took[i], time.Since(epoch)-<-back)
				answered[i*padding].Add(1)
			}
			close(second)
			done <- true
		}()
		go func() {
			for due := range second {
				back <- due
			}
		}()
	}
	var ended atomic.Bool
	for range processors {
		if hogs {
			go func() {
				for !ended.Load() {
					hold(hogTime)
				}
			}()
		}
	}
	ran := operations
	m.start()
	if perSecond == 0 {
		sendClosed(firsts, answered, operations)
	} else {
		ran = sendPaced(firsts, perSecond, operations)
	}
	for _, first := range firsts {
		close(first)
	}
	for range firsts {
		<-done
	}
	m.stop()
	ended.Store(true)
	all := slices.Concat(took...)
	check("answers", int64(len(all)), ran)
	if perSecond > 0 {
		m.tell(all)
		m.counts["offered-per-second"] = float64(perSecond)
	}
	return ran
}

// Tells how long most operations took, and the slowest.
func (m *meter) tell(took []time.Duration) {
	slices.Sort(took)
	at := func(percent float64) float64 {
		place := int(float64(len(took))*percent/100+0.999999) - 1
		return float64(took[max(0, min(place, len(took)-1))]) / 1e3
	}
	m.counts["p50-micros"] = at(50)
	m.counts["p99-micros"] = at(99)
	m.counts["p999-micros"] = at(99.9)
	m.counts["max-micros"] = at(100)
}

func sendPaced(firsts []chan time.Duration, perSecond int, millis int64) int64 {
	interval := float64(time.Second) / float64(perSecond)
	count := max(1, int64(float64(millis)*float64(time.Millisecond)/interval))
	begin := time.Since(epoch)
	for i := range count {
		due := begin + time.Duration(float64(i)*interval)
		for time.Since(epoch) < due {
		}
		firsts[i%int64(len(firsts))] <- due
	}
	return count
}

func sendClosed(firsts []chan time.Duration, answered []atomic.Int64, operations int64) {
	sent := make([]int64, len(firsts))
	for left := operations; left > 0; {
		for i, first := range firsts {
			if left > 0 && answered[i*padding].Load() == sent[i] {
				sent[i]++
				left--
				first <- time.Since(epoch)
			}
		}
	}
}
