// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import io.netty.channel.unix.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Small writes of a turn, which leave together in the driver's next call of the system.
///
/// **Thread** the loop's; [#flush()] and [#turnEnded] in a tick.
public final class SendBatch {
  /*
   * A system call costs as much as the kernel's work for some 500 bytes. When a turn has resumed
   * many coroutines, each is about to write its answer: these writes are appended to one buffer and
   * submitted together. When it has resumed few, a direct call brings the answer to its reader
   * sooner, and there is nothing to save. `recentNotifications` decides: it counts the
   * notifications of the last turns, each weighing half as much as the one after it.
   *
   * The buffer belongs to the turn. What was submitted completes before the turn ends, since the
   * calls do not wait, so the next turn begins with an empty buffer. If a completion is late, the
   * buffer fills up, and then writes are direct: `submitted` tells.
   *
   * Rejected. A buffer for each socket: with 1,000 of them none is in the cache when it is needed
   * again. Receives submitted in the same way: they complete in the call after, and cost more than
   * direct calls (decision 0016).
   */

  /// Writes beyond this are for direct calls: they cost more to copy than to call.
  static final int LARGEST = 4 << 10; // bytes

  private static final String PROPERTY = "heddle.sends";
  private static final int MIN_COMPLETIONS = 4; // answers
  private static final int ROOM =
      128 << 10; // bytes; with what the kernel needs it stays in the cache

  private final int minCompletions; // answers that make a crowd
  private final List<PendingSend> queued = new ArrayList<>();
  private @Nullable ByteBuffer room;
  private long address;
  private int used; // bytes of the room
  private int submitted;
  private int recentNotifications;

  private SendBatch(int minCompletions) {
    this.minCompletions = minCompletions;
  }

  /// As the system property `heddle.sends` wants it.
  ///
  /// @throws IllegalArgumentException when it has a value that there is not
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

  /// Lays bytes into the room.
  ///
  /// @return where they begin; -1: they are for a direct call
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

  /// Whether what is laid next follows what ends here.
  boolean isLast(int end) {
    return end == used;
  }

  /// Has it submitted by the next turn.
  void add(PendingSend pendingSend) {
    queued.add(pendingSend);
  }

  /// The room, of which something was given out.
  ByteBuffer room() {
    ByteBuffer r = room;
    if (r == null) {
      throw new IllegalStateException("a room in which nothing lies");
    }
    return r;
  }

  // ---- for the driver, in a tick ----

  /// Whether the next turn has something to submit.
  boolean hasQueued() {
    return !queued.isEmpty();
  }

  /// Submits what was taken.
  void flush() {
    for (int i = 0; i < queued.size(); i++) {
      if (queued.get(i).submit(address)) {
        submitted++;
      }
    }
    queued.clear();
  }

  /// One that was submitted is answered.
  void completed() {
    submitted--;
  }

  /// A turn is over.
  void turnEnded(int answers) {
    recentNotifications = answers + (recentNotifications >> 1);
    if (submitted == 0 && queued.isEmpty()) {
      used = 0;
    }
  }
}
