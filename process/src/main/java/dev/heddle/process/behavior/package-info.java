// SPDX-License-Identifier: Apache-2.0
/// Templates of typed processes, as OTP's behaviours: a generic server and a state machine.
///
/// | enters | leaves |
/// |---|---|
/// | events, from the step of a process | messages, signals and timeouts, to the code of a program; its commands, to the step |
///
/// Threads: the worker that steps the process; other threads are refused. Read `GenServer`, then
/// `Behavior`.
package dev.heddle.process.behavior;
