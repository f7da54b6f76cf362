// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.partner;

/// Credit for messages one way: how many may be under way, and how often the receiver tells its
/// count. A sender is done when the receiver has counted all, so nothing is lost unseen.
public final class Window {
  /// The senders of a round.
  public static final int SENDERS = 4;

  /// After so many messages of a sender the receiver tells its count.
  public static final int CREDIT = 512;

  /// So many messages of a sender may be under way.
  public static final int SIZE = 8 * CREDIT;

  private Window() {}

  /// How many messages each sender has in a round of so many: a multiple of [#CREDIT].
  public static long each(long operations) {
    return Math.max(1, Math.ceilDiv(operations, (long) SENDERS * CREDIT)) * CREDIT;
  }
}
