// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import io.netty.channel.unix.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The small writes of a turn, which the driver's next system call submits together.
///
/// **Thread** the carrier; [#flush()] and [#turnEnded] in a poll.
public final class SendBatch {
  /*
   * A system call costs as much as the kernel's work for about 500 bytes. When a turn has resumed
   * many coroutines, each is about to write its response: these writes are appended to one buffer
   * and submitted together. When it has resumed few, a direct call delivers the response sooner,
   * and batching saves nothing. `recentNotifications` decides: it counts the notifications of the
   * last turns, each weighing half as much as the one after it.
   *
   * The buffer belongs to the turn. Submitted sends complete before the turn ends, because they are
   * non-blocking, so the next turn begins with an empty buffer. If a completion is late
   * (`submitted`), the buffer fills up, and further writes are direct.
   *
   * Rejected. A buffer per socket: with 1,000 sockets, none is in the cache when it is needed
   * again. Receives submitted in the same way: they complete in the next call and cost more than
   * direct calls (decision 0016).
   */

  /// Larger writes are direct: copying them costs more than a call.
  static final int LARGEST = 4 << 10; // bytes

  private static final String PROPERTY = "heddle.sends";
  private static final int MIN_COMPLETIONS = 4; // completions per turn
  private static final int ROOM = 128 << 10; // bytes; fits the cache, with the kernel's data

  private final int minCompletions; // completions from which writes are batched
  private final List<PendingSend> queued = new ArrayList<>();
  private @Nullable ByteBuffer room;
  private long address;
  private int used; // bytes of the buffer in use
  private int submitted;
  private int recentNotifications;

  private SendBatch(int minCompletions) {
    this.minCompletions = minCompletions;
  }

  /// Configured by the system property `heddle.sends`.
  ///
  /// @throws IllegalArgumentException when its value is unknown
  public static SendBatch ofProperty() {
    String wish = System.getProperty(PROPERTY, "auto");
    return new SendBatch(
        switch (wish) {
          case "auto" -> MIN_COMPLETIONS;
          case "batched" -> 0;
          case "direct" -> Integer.MAX_VALUE;
          default ->
              throw new IllegalArgumentException(
                  "-D" + PROPERTY + "=" + wish + ": it is auto, batched or direct");
        });
  }

  // ---- for PendingSend, on a coroutine's stack ----

  /// Appends bytes to the buffer.
  ///
  /// @return their offset; -1: they must be sent directly
  int append(ByteBuffer from) {
    int size = from.remaining();
    if (recentNotifications < minCompletions || size > ROOM - used) {
      return -1;
    }
    ByteBuffer r = room;
    if (r == null) {
      r = ByteBuffer.allocateDirect(ROOM);
      address = Buffer.memoryAddress(r);
      room = r;
    }
    int at = used;
    r.put(at, from, from.position(), size);
    from.position(from.limit());
    used = at + size;
    return at;
  }

  /// Whether the next append follows `end` directly.
  boolean isLast(int end) {
    return end == used;
  }

  void add(PendingSend pendingSend) {
    queued.add(pendingSend);
  }

  /// The buffer, which is in use.
  ByteBuffer room() {
    ByteBuffer r = room;
    if (r == null) {
      throw new IllegalStateException("the buffer is empty");
    }
    return r;
  }

  // ---- for the driver, in a poll ----

  /// Whether the next turn has sends to submit.
  boolean hasQueued() {
    return !queued.isEmpty();
  }

  void flush() {
    for (int i = 0; i < queued.size(); i++) {
      if (queued.get(i).submit(address)) {
        submitted++;
      }
    }
    queued.clear();
  }

  /// Called when a submitted send has completed.
  void completed() {
    submitted--;
  }

  void turnEnded(int notifications) {
    recentNotifications = notifications + (recentNotifications >> 1);
    if (submitted == 0 && queued.isEmpty()) {
      used = 0;
    }
  }
}
