// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.ReadinessCounts;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The descriptors of a driver, and what they share.
///
/// **Thread** the loop's.
final class DescriptorRegistry {
  private static final int STAGE = 64 << 10; // bytes; the largest datagram fits

  private final ReadinessCounts counts = new ReadinessCounts();
  private final boolean reportsUrgentData;
  private final @Nullable SendBatch sendBatch;
  private final @Nullable SocketCalls calls = SocketCalls.open();
  private final Lingering lingering = new Lingering();
  private final Set<UnixDescriptor> open = new HashSet<>();
  private final ArrayDeque<UnixDescriptor> pending = new ArrayDeque<>();
  private @Nullable ByteBuffer stage;
  private int closing;

  /// @param reportsUrgentData whether watches report TCP's urgent data when there is some, and only
  ///   then
  /// @param sendBatch null: nothing is sent together
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

  /// What leaves in the next turn; null: nothing does.
  @Nullable SendBatch outbox() {
    return sendBatch;
  }

  /// How sockets receive; null: as Netty does.
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

  // ---- descriptors that the next tick registers ----

  void addPending(UnixDescriptor descriptor) {
    pending.add(descriptor);
  }

  @Nullable UnixDescriptor pollPending() {
    return pending.poll();
  }

  // ---- descriptors that are closed and not gone ----

  void beginClose() {
    closing++;
  }

  void endClose() {
    closing--;
  }

  /// Closed descriptors that something is still to be heard of.
  int closing() {
    return closing;
  }

  // ---- memory ----

  /// Where bytes of the heap stand during a system call.
  ByteBuffer stage() {
    ByteBuffer s = stage;
    if (s == null) {
      s = ByteBuffer.allocateDirect(STAGE);
      stage = s;
    }
    return s.clear();
  }
}
