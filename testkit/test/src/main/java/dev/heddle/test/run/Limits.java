// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.time.Duration;

/// What a run may use up before it counts as one that does not end, and what it is checked for.
///
/// @param steps scheduling steps
/// @param patience processor time in one step, or real time of a wait for other threads
/// @param checksMessages whether messages of processes are compared with what they were at the send
public record Limits(long steps, Duration patience, boolean checksMessages) {}
