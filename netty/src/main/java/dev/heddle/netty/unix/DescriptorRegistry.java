// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.ReadinessCounts;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The descriptors of a driver and their shared state.
///
/// **Thread** the loop's.
final class DescriptorRegistry {
  private static final int STAGE = 64 << 10; // bytes; holds the largest datagram

  final ReadinessCounts counts = new ReadinessCounts();
  final boolean reportsUrgentData;
  final @Nullable SendBatch sendBatch;
  final @Nullable SocketCalls calls = SocketCalls.open(); // null: Netty's are used
  final Lingering lingering = new Lingering();
  final Set<UnixDescriptor> open = new HashSet<>();
  final ArrayDeque<UnixDescriptor> pending = new ArrayDeque<>(); // to register in the next poll
  int closing; // closed descriptors with pending completions
  private @Nullable ByteBuffer stage;

  /// @param reportsUrgentData whether registrations report TCP's urgent data exactly when there is
  ///   some
  /// @param sendBatch null: sends are not batched
  DescriptorRegistry(boolean reportsUrgentData, @Nullable SendBatch sendBatch) {
    this.reportsUrgentData = reportsUrgentData;
    this.sendBatch = sendBatch;
  }

  /// A direct buffer that holds heap bytes during a system call.
  ByteBuffer stage() {
    ByteBuffer s = stage;
    if (s == null) {
      s = ByteBuffer.allocateDirect(STAGE);
      stage = s;
    }
    return s.clear();
  }
}
