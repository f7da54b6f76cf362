// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// A program runs one round after the other. What it returns stands for the operations that really ran.
type program func(size int, operations int64, meter *meter) int64

// What is made once for a case, and stays for its rounds.
var preparations = map[string]func(size int){}

// A meter measures the steady part of a round: wall time, and the CPU time of all threads.
type meter struct {
	began, wall time.Duration
	cpu         time.Duration
	counts      map[string]float64
}

var epoch = time.Now()

func (m *meter) start() {
	m.cpu = cpuTime()
	m.began = time.Since(epoch)
}

func (m *meter) stop() {
	m.wall = time.Since(epoch) - m.began
	m.cpu = cpuTime() - m.cpu
}

// CPU time of all threads so far; the kernel tells microseconds.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// answerOrders takes the driver's orders, a line each, until it hangs up:
// "case NAME SIZE" and "round OPERATIONS".
func answerOrders() {
	run, size := program(nil), 0
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		var name string
		var operations int64
		line := orders.Text()
		if _, err := fmt.Sscanf(line, "case %s %d", &name, &size); err == nil {
			if run = programs[name]; run == nil {
				fmt.Println("failed no program for", name)
			} else {
				if prepare := preparations[name]; prepare != nil {
					prepare(size)
				}
				fmt.Println("ready")
			}
		} else if _, err := fmt.Sscanf(line, "round %d", &operations); err == nil {
			fmt.Println(round(run, size, operations))
		} else {
			fmt.Println("failed unknown order:", line)
		}
	}
}

func round(run program, size int, operations int64) (answer string) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = fmt.Sprint("failed ", cause)
		}
	}()
	m := &meter{counts: map[string]float64{}}
	ran := run(size, operations, m)
	fields := []string{"sample", fmt.Sprint(ran), fmt.Sprint(int64(m.wall)), fmt.Sprint(int64(m.cpu))}
	for name, value := range m.counts {
		fields = append(fields, fmt.Sprintf("%s=%g", name, value))
	}
	return strings.Join(fields, "\t")
}

func check(what string, found, wanted int64) {
	if found != wanted {
		panic(fmt.Sprintf("%s: %d, but should be %d", what, found, wanted))
	}
}
