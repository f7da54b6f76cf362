// SPDX-License-Identifier: Apache-2.0
/// Supervisors: processes that start others, and restart them when they fail.
///
/// | enters | leaves |
/// |---|---|
/// | specifications of children, from users | children, to the runtime |
/// | exits of children, from the runtime | their status, to askers and listeners |
///
/// Threads: workers; only the steps of a supervisor touch its state. It uses only API that other
/// processes have too. Read `Supervisor`.
package dev.heddle.process.supervisor;
