// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A packet in the first bytes of an array.
final class OutgoingArray implements Engine.Outgoing {
  final byte[] array;
  final AtomicInteger pins = new AtomicInteger();
  private final int length;
  private volatile boolean arrived;

  /// In an array that is longer.
  OutgoingArray(byte... packet) {
    array = Arrays.copyOf(packet, packet.length + 2);
    length = packet.length;
  }

  /// The packet has arrived, and its array has another one.
  void reuse() {
    arrived = true;
    Arrays.fill(array, (byte) 7);
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public byte @Nullable [] pin() {
    if (arrived) {
      return null;
    }
    pins.incrementAndGet();
    return array;
  }

  @Override
  public void unpin() {
    pins.decrementAndGet();
  }
}
