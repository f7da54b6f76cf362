// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.time.Duration;

/// What an exploration covered in which no run failed.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=explore}
///
/// @param runs the number of runs
/// @param courses the number of different courses that they took
/// @param complete whether these are all courses; only an exhaustive exploration knows
/// @param elapsed the sum of their virtual times
/// @since 0.1
public record Exploration(int runs, int courses, boolean complete, Duration elapsed) {}
