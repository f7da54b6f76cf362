// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.group;

import dev.heddle.process.Pid;
import java.util.List;

/// A change of the members of a group. One change has all members that one event has added or
/// removed: a process that ends, a node that is lost.
///
/// @param group its name
/// @param joined those that are new
/// @param left those that are no longer members
public record GroupChange(String group, List<Pid> joined, List<Pid> left) {}
