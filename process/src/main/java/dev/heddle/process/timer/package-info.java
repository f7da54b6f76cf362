// SPDX-License-Identifier: Apache-2.0

/// Timers of processes: what fires when a time has passed, unless it is disarmed before.
///
/// | enters | leaves |
/// |---|---|
/// | timers that are armed, from any thread | their `fire()`, on the thread of the timers |
/// | limits of waits, from the bodies of processes | wake-ups of those processes |
///
/// Threads: any thread arms and disarms; one thread owns the wheel. Knows nothing of processes and
/// of loops. Read `Timer`, then `Timers` and `TimerWheel`.
package dev.heddle.process.timer;
