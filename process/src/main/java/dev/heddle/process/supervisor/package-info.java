// SPDX-License-Identifier: Apache-2.0
/// Processes that start others, and start them again when they fail.
///
/// | enters | leaves |
/// |---|---|
/// | specifications of children, from users | children, to the runtime |
/// | ends of children, from the runtime | their status, to whoever asks or listens |
///
/// Threads: those of any process; what a supervisor knows only its own steps touch. It uses nothing
/// that other processes could not use. Read `Supervisor`.
package dev.heddle.process.supervisor;
