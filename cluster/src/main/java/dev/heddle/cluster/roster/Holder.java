// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// A node within one of its admissions. What it owned before is not its own any more.
///
/// @param admission the index that [Outcome.Admitted] has told
public record Holder(String node, long admission) {}
