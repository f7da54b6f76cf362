// SPDX-License-Identifier: Apache-2.0
/// Heddle's own programs, written as a user would write them: the public API and nothing below it.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: each round is a loop, or an order to a resident one. Read
/// [dev.heddle.bench.ours.HeddleSwitch] first.
@NullMarked
package dev.heddle.bench.ours;

import org.jspecify.annotations.NullMarked;
