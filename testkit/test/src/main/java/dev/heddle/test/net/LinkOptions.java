// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/// What a link between two hosts is like, in one direction. An immutable value; start from
/// [#defaults()] and change what matters.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=links}
///
/// @since 0.1
public final class LinkOptions {
  private static final Latency LOCAL =
      Latency.between(Duration.ofNanos(100_000), Duration.ofNanos(500_000))
          .withTail(0.01, Duration.ofMillis(5));
  // effectively final: written only before the object leaves this class
  private Latency latency = LOCAL;
  private long bytesPerSecond;
  private int segmentBytes = 1_460;

  private LinkOptions() {}

  private LinkOptions(LinkOptions from) {
    latency = from.latency;
    bytesPerSecond = from.bytesPerSecond;
    segmentBytes = from.segmentBytes;
  }

  /// The defaults: a local network without a limit of bandwidth.
  public static LinkOptions defaults() {
    return new LinkOptions();
  }

  // ---- values ----

  /// How long a packet takes; default 100 to 500 µs, and one in a hundred up to 5 ms.
  public Latency latency() {
    return latency;
  }

  /// Its bandwidth; 0, the default: without a limit.
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /// Most bytes of a stream in one packet; default 1,460.
  public int segmentBytes() {
    return segmentBytes;
  }

  // ---- copies with another value ----

  /// The same with another latency.
  public LinkOptions withLatency(Latency changed) {
    Objects.requireNonNull(changed, "latency");
    return with(copy -> copy.latency = changed);
  }

  /// The same with another bandwidth; 0: without a limit.
  ///
  /// @throws IllegalArgumentException when it is negative
  public LinkOptions withBytesPerSecond(long changed) {
    if (changed < 0) {
      throw new IllegalArgumentException("a bandwidth cannot be negative: " + changed);
    }
    return with(copy -> copy.bytesPerSecond = changed);
  }

  /// The same with other packets.
  ///
  /// @throws IllegalArgumentException when they have no room for a byte
  public LinkOptions withSegmentBytes(int changed) {
    if (changed < 1) {
      throw new IllegalArgumentException("a packet has room for a byte at least: " + changed);
    }
    return with(copy -> copy.segmentBytes = changed);
  }

  private LinkOptions with(Consumer<LinkOptions> change) {
    LinkOptions copy = new LinkOptions(this);
    change.accept(copy);
    return copy;
  }
}
