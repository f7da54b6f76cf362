// SPDX-License-Identifier: Apache-2.0
/// Programs that a simulation explores, as data: a name, what must come of it, the code.
///
/// | enters | leaves |
/// |---|---|
/// | code of the rooms `sct`, `fray`, `kinds` | [Program]s, to the explorer in `dev.heddle.simulated` |
///
/// The programs are plain blocking Java: ordinary threads, executors, locks, monitors and sockets.
/// Nothing in them knows of a simulation. Each run makes its own objects, so that no run sees the
/// fields of the one before it. Read [Program] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.program;
