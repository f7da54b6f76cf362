// SPDX-License-Identifier: Apache-2.0

/// Timers of processes, on one thread with a timing wheel.
///
/// | enters | leaves |
/// |---|---|
/// | armed timers, from any thread | calls of their `fire()`, on the timer thread |
/// | limits of waits, from the fibers of processes | wake-ups of those processes |
///
/// Threads: any thread arms and disarms; one thread owns the wheel. Knows neither processes nor
/// loops. Read `Timer`, then `Timers` and `TimerWheel`.
package dev.heddle.process.timer;
