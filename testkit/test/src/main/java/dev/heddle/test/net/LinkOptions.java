// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.time.Duration;

/// What a link between two hosts is like, in one direction.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=links}
///
/// @param latency how long a packet takes
/// @param bytesPerSecond its bandwidth; 0: without a limit
/// @param segmentBytes most bytes of a stream in one packet
public record LinkOptions(Latency latency, long bytesPerSecond, int segmentBytes) {
  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException when the bandwidth is negative, or a packet has no room
  public LinkOptions {
    if (bytesPerSecond < 0 || segmentBytes < 1) {
      throw new IllegalArgumentException(
          "a link has a bandwidth of at least 0 and packets of at least 1 byte, not "
              + bytesPerSecond
              + " and "
              + segmentBytes);
    }
  }

  /// A local network: 100 to 500 µs, and now and then up to 5 ms; no limit of bandwidth.
  public static LinkOptions local() {
    Latency latency = Latency.between(Duration.ofNanos(100_000), Duration.ofNanos(500_000));
    return new LinkOptions(latency.withTail(0.01, Duration.ofMillis(5)), 0, 1_460);
  }

  /// Within one host: 10 µs.
  public static LinkOptions loopback() {
    return new LinkOptions(Latency.of(Duration.ofNanos(10_000)), 0, 65_483);
  }

  public LinkOptions withLatency(Latency changed) {
    return new LinkOptions(changed, bytesPerSecond, segmentBytes);
  }

  public LinkOptions withBytesPerSecond(long changed) {
    return new LinkOptions(latency, changed, segmentBytes);
  }

  public LinkOptions withSegmentBytes(int changed) {
    return new LinkOptions(latency, bytesPerSecond, changed);
  }
}
