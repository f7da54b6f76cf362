// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// One applied command, for nodes that hold no log.
///
/// @param previous the index of the command before it; indexes have gaps, as a log has entries of
///   its own
/// @param index of the command
/// @param format of its bytes in the log; 0 where it is not known, as at nodes that hold no log
public record Delta(long previous, long index, Command command, int format) {
  /// A command whose format in the log is not known.
  public Delta(long previous, long index, Command command) {
    this(previous, index, command, 0);
  }
}
