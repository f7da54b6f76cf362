// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// The formats of the log that a release reads: of commands, outcomes and snapshots.
///
/// A release reads two, the newest and the one before: so voters can be upgraded one after the
/// other. The log has the older one until all voters know the newer one: see [RosterCodec].
///
/// @param oldest that it reads; what it writes as long as the log does not say which is in force
/// @param newest that it reads
public record LogFormats(int oldest, int newest) {
  /// Of this release. Since 2 a singleton has its last token. Since 3 the state says which format
  /// is in force, names of many shards are written once, and a node may offer a range of
  /// singletons.
  public static final LogFormats RELEASE = new LogFormats(2, 3);

  static final int RAISES = 3; // the first format that can be in force by a Raise
  static final int TABLES = 3; // the first format in which a name of many shards is written once
  static final int RANGES = 3; // the first format in which a node offers a range of singletons

  /// Checks the order.
  public LogFormats {
    if (oldest < 1 || newest < oldest || newest > 255) {
      throw new IllegalArgumentException("formats %d to %d".formatted(oldest, newest));
    }
  }

  /// Whether it reads a format.
  public boolean contains(int format) {
    return oldest <= format && format <= newest;
  }

  /// The newest format that another one reads, too.
  ///
  /// @param newestOfOther the newest that it reads
  /// @return 0 when there is none
  public int common(int newestOfOther) {
    int format = Math.min(newest, newestOfOther);
    return contains(format) ? format : 0;
  }

  @Override
  public String toString() {
    return oldest == newest ? "format " + newest : "formats %d to %d".formatted(oldest, newest);
  }
}
