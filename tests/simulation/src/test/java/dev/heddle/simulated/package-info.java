// SPDX-License-Identifier: Apache-2.0
/// Programs whose bugs a simulation must find, and the search for them.
///
/// | enters | leaves |
/// |---|---|
/// | tables of programs, from `sct`, `fray` and `kinds` | a table of what was found, with seeds and times |
///
/// [Simulated] is the only class that uses the simulation's API. Read [Findings] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated;
