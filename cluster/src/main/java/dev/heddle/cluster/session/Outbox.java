// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The frames for one session that no packet carries yet. Any thread adds; one at a time takes.
///
/// Its size is bounded in bytes. What may wait is refused when it is full; what must not be lost,
/// such as the end of a process, is added all the same, up to a second limit at which the session
/// ends.
public final class Outbox {
  /*
   * No lock: adding threads are workers and bodies of processes.
   *
   * Bytes are counted before the frame is in the queue, and given back after it was taken, so the
   * count is never less than what is queued. A sender that finds it full asks for `room`; the taker
   * completes that after it has given bytes back. Both look again after they have written, so one of
   * them sees the other: nobody waits at an empty outbox. [OutboxTest]
   *
   * The end: close() sets `closed`, then completes `room`. A frame that is added at that moment is
   * in the queue of a session that takes nothing any more: its sender was told ACCEPTED, and the end
   * of the session follows (C3).
   */
  /// How many bytes messages may fill.
  static final long MESSAGE_BYTES = 4L << 20;

  /// How many bytes all frames may fill.
  static final long ALL_BYTES = 4 * MESSAGE_BYTES;

  /// What becomes of a frame when the outbox is full.
  public enum Importance {
    /// it is refused
    MAY_WAIT,
    /// it is added
    MUST_GO
  }

  private static final int FRAME_COST = 64; // the array, its header and its place in the queue

  private final ConcurrentLinkedQueue<byte[]> frames = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> room =
      new AtomicReference<>();
  private volatile boolean closed;
  private volatile boolean overflown;

  // the taker
  private byte @Nullable [] next; // taken from the queue, for the next packet

  Outbox() {}

  /// Adds an encoded frame.
  ///
  /// @return `ACCEPTED`; `FULL`; `UNREACHABLE` when the session has ended, or is about to, because
  ///   there is no space even for what must go
  public SendResult add(byte[] frame, Importance importance) {
    if (closed || overflown) {
      return SendResult.UNREACHABLE;
    }
    long size = frame.length + FRAME_COST;
    long before = bytes.getAndAdd(size);
    if (before >= MESSAGE_BYTES) {
      boolean isOver = before >= ALL_BYTES;
      if (isOver || importance == Importance.MAY_WAIT) {
        bytes.addAndGet(-size);
        overflown |= isOver && importance == Importance.MUST_GO;
        return isOver ? SendResult.UNREACHABLE : SendResult.FULL;
      }
    }
    frames.add(frame);
    return SendResult.ACCEPTED;
  }

  /// Whether a frame that must go had no space: the session cannot keep its promises any more.
  boolean isOverflown() {
    return overflown;
  }

  /// Completes when there is space for messages, or when the session has ended.
  public CompletableFuture<@Nullable Void> room() {
    CompletableFuture<@Nullable Void> waiting = room.get();
    while (waiting == null) {
      CompletableFuture<@Nullable Void> fresh = new CompletableFuture<>();
      waiting = room.compareAndSet(null, fresh) ? fresh : room.get();
    }
    if (hasSpace() || closed) { // looked at after `room` was set
      release();
    }
    return waiting;
  }

  private boolean hasSpace() {
    return bytes.get() < MESSAGE_BYTES / 2;
  }

  private void release() {
    CompletableFuture<@Nullable Void> waiting = room.getAndSet(null);
    if (waiting != null) {
      waiting.complete(null);
    }
  }

  /// How many bytes it holds.
  public long bytes() {
    return bytes.get();
  }

  public boolean isEmpty() {
    return next == null && frames.isEmpty();
  }

  /// Takes frames for one packet: as many as fit, or one that fills a packet by itself.
  ///
  /// @return empty when there are none
  List<byte[]> take() {
    List<byte[]> taken = new ArrayList<>();
    int left = Limits.PACKED_PACKET_BYTES - Packet.HEADER_BYTES;
    long given = 0;
    byte[] frame = next != null ? next : frames.poll();
    next = null;
    while (frame != null && (frame.length <= left || taken.isEmpty())) {
      taken.add(frame);
      left -= frame.length;
      given += frame.length + FRAME_COST;
      frame = left > 0 ? frames.poll() : null;
    }
    next = frame;
    if (given > 0) {
      bytes.addAndGet(-given);
      if (hasSpace()) { // looked at after the bytes were given back
        release();
      }
    }
    return taken;
  }

  /// The session has ended: nothing is taken any more.
  void close() {
    closed = true;
    release();
  }
}
