// SPDX-License-Identifier: Apache-2.0
/// Groups of processes of all nodes in touch, under a name, to publish messages to.
///
/// | enters | leaves |
/// |---|---|
/// | joins, leaves and ends of processes here; the sessions | frames that tell the other nodes |
/// | frames that tell of the members of another node | members, changes, messages to them |
///
/// Threads: any; nothing here waits. Read `Groups`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.group;
