// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.process.Pid;

/// Who owns a name.
///
/// @param node that owns it, as long as it is admitted
/// @param token of this ownership: the index of the entry that granted it
public record Ownership(String name, Pid pid, String node, long token) {}
