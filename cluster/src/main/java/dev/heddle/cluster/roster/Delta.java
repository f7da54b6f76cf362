// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// One applied command, for nodes that hold no log.
///
/// @param previous the index of the command before it; indexes have gaps, as a log has entries of
///   its own
/// @param index of the command
public record Delta(long previous, long index, Command command) {}
