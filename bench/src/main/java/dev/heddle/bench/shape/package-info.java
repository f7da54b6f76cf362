// SPDX-License-Identifier: Apache-2.0
/// The shapes: what is measured, who takes part with which flags, what is to be reached. One file
/// each.
///
/// | enters | leaves |
/// |---|---|
/// | programs of `peer` and `ours` | [dev.heddle.bench.shape.Shape] to the driver and to the forked JVMs |
///
/// Threads: values only. Read [dev.heddle.bench.shape.SwitchShape] first.
@NullMarked
package dev.heddle.bench.shape;

import org.jspecify.annotations.NullMarked;
