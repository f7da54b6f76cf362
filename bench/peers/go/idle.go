// SPDX-License-Identifier: Apache-2.0

package main

// A runtime that has nothing to do.

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

func init() {
	preparations["idle"] = park
	programs["idle"] = watch
}

// Goroutines that wait for ever.
func park(size int) {
	var started sync.WaitGroup
	started.Add(size)
	never := make(chan bool)
	for range size {
		go func() {
			started.Done()
			<-never
		}()
	}
	started.Wait()
	runtime.GC() // what was left of the start is not collected while we watch
}

// Sleeps so many milliseconds; what the process used meanwhile.
func watch(_ int, millis int64, m *meter) int64 {
	time.Sleep(time.Millisecond) // the kernel takes down what a thread has used as it goes to sleep
	before := contextSwitches()
	m.start()
	time.Sleep(time.Duration(millis) * time.Millisecond)
	m.stop()
	var switches int64
	for thread, now := range contextSwitches() {
		if then, known := before[thread]; known {
			switches += now - then
		}
	}
	m.counts["cpu-percent"] = 100 * float64(m.cpu) / float64(m.wall)
	m.counts["switches-per-second"] = float64(switches) / m.wall.Seconds()
	return 1
}

// Of each thread so far, voluntary and not.
func contextSwitches() map[string]int64 {
	all := map[string]int64{}
	files, _ := filepath.Glob("/proc/self/task/*/status")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				count, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				all[file] += count
			}
		}
	}
	return all
}
