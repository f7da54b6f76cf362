// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// What a node can do besides the version of the wire that it speaks, as bits of its HELLO.
///
/// Bits 0 to 7 are the newest format of the log that it knows, bits 8 to 15 the newest version of
/// messages about shards. A release that has none of them says 0: it knows the first ones.
///
/// @param logFormat 2-255
/// @param shardMessages 1-255
public record Features(int logFormat, int shardMessages) {
  private static final int FIRST_LOG_FORMAT = 2;
  private static final int FIRST_SHARD_MESSAGES = 1;

  /// Checks the ranges.
  public Features {
    if (logFormat < 1 || logFormat > 255 || shardMessages < 1 || shardMessages > 255) {
      throw new IllegalArgumentException(
          "log format %d, messages about shards %d".formatted(logFormat, shardMessages));
    }
  }

  /// Those of a HELLO. Bits that this release does not know are ignored.
  public static Features of(long bits) {
    int log = (int) (bits & 0xff);
    int shards = (int) (bits >>> 8 & 0xff);
    return new Features(
        log == 0 ? FIRST_LOG_FORMAT : log, shards == 0 ? FIRST_SHARD_MESSAGES : shards);
  }

  /// As bits of a HELLO.
  public long bits() {
    return logFormat | (long) shardMessages << 8;
  }
}
