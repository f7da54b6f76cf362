// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.ReadinessCounts;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The descriptors of a driver and their shared state.
///
/// **Thread** the loop's.
final class DescriptorRegistry {
  private static final int STAGE = 64 << 10; // bytes; holds the largest datagram

  private final ReadinessCounts counts = new ReadinessCounts();
  private final boolean reportsUrgentData;
  private final @Nullable SendBatch sendBatch;
  private final @Nullable SocketCalls calls = SocketCalls.open();
  private final Lingering lingering = new Lingering();
  private final Set<UnixDescriptor> open = new HashSet<>();
  private final ArrayDeque<UnixDescriptor> pending = new ArrayDeque<>();
  private @Nullable ByteBuffer stage;
  private int closing;

  /// @param reportsUrgentData whether registrations report TCP's urgent data exactly when there is
  ///   some
  /// @param sendBatch null: sends are not batched
  DescriptorRegistry(boolean reportsUrgentData, @Nullable SendBatch sendBatch) {
    this.reportsUrgentData = reportsUrgentData;
    this.sendBatch = sendBatch;
  }

  ReadinessCounts counts() {
    return counts;
  }

  boolean reportsUrgentData() {
    return reportsUrgentData;
  }

  /// The batch of the next turn, or null.
  @Nullable SendBatch outbox() {
    return sendBatch;
  }

  /// The receiving calls; null: Netty's are used.
  @Nullable SocketCalls calls() {
    return calls;
  }

  Lingering lingering() {
    return lingering;
  }

  void opened(UnixDescriptor descriptor) {
    open.add(descriptor);
  }

  void closed(UnixDescriptor descriptor) {
    open.remove(descriptor);
  }

  List<UnixDescriptor> open() {
    return List.copyOf(open);
  }

  // ---- descriptors to register in the next tick ----

  void addPending(UnixDescriptor descriptor) {
    pending.add(descriptor);
  }

  @Nullable UnixDescriptor pollPending() {
    return pending.poll();
  }

  // ---- descriptors being closed ----

  void beginClose() {
    closing++;
  }

  void endClose() {
    closing--;
  }

  /// The number of closed descriptors with pending completions.
  int closing() {
    return closing;
  }

  // ---- memory ----

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
