// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Bytes that a socket's writers have submitted and the kernel has not yet accepted; their calls
/// have returned.
final class Outgoing {
  /*
   * States.
   *   from       event                          to         who, how
   *   CLEAR      take()                         TAKEN      a writer; the outbox has the bytes
   *   TAKEN      take(), right behind its own   TAKEN      a writer; it grows
   *   TAKEN      clear()                        CLEAR      a direct call; REST if it took fewer
   *   TAKEN      submit()                       SUBMITTED  the tick
   *   SUBMITTED  sent(all)                      CLEAR      the tick
   *   SUBMITTED  sent(fewer), sent(EAGAIN)      REST       the tick; the rest leaves the outbox
   *   SUBMITTED  sent(an error)                 CLEAR      `failure` is kept
   *   any other  fail(): the watch has failed   CLEAR      `failure` is kept
   *   REST       clear(), or resume(): room     CLEAR      a direct call; REST if it took fewer
   *
   * It is a short extension of the socket's buffer in the kernel, and promises the same: order,
   * delivery also after the program has closed the socket or ended its output, and a failure that
   * the next call reports. Hence:
   *
   * I1. Nothing is sent directly, and no output is ended, before clear() has said that nothing is
   *     left. [OutgoingTest]
   * I2. A close does not wait for the rest: the descriptor stays until the rest has left, or cannot
   *     leave, or `heddle.linger` is over. If some of it does not leave, the peer gets a reset: it
   *     must not take a part for the whole. [OutgoingTest]
   * I3. The next writer gets a failure, or the next reader that would see an end: the kernel
   *     reports an error once, and has reported it to us; an end would be a lie. [OutgoingTest]
   * I4. After a failure, or a reported hang-up, nothing is taken: each call reports it itself.
   *     [OutgoingTest]
   *
   * Limits. A program that writes and then keeps the loop from its next turn, or ends the JVM
   * without ending the loop, keeps its bytes from leaving: it needs -Dheddle.sends=direct (decision
   * 0016).
   */
  private static final int CLEAR = 0;
  private static final int TAKEN = 1;
  private static final int SUBMITTED = 2;
  private static final int REST = 3;
  private static final int EAGAIN = 11;

  private final Outbox outbox;
  private final NativeSocket socket;
  private final Supplier<ByteBuffer> stage;
  private int state = CLEAR;
  private @Nullable SendingWatch sender; // of what is taken
  private int at; // in the outbox
  private int length;
  private @Nullable ByteBuffer rest; // of the heap: it may wait for long, and there may be many
  private @Nullable IOException failure;

  /// @param stage where bytes of the heap stand during a system call
  Outgoing(Outbox outbox, NativeSocket socket, Supplier<ByteBuffer> stage) {
    this.outbox = outbox;
    this.socket = socket;
    this.stage = stage;
  }

  // ---- on a coroutine's stack ----

  /// Takes all of a write, to send it in the next turn.
  ///
  /// @param by sends it
  /// @return false: it is for a direct call, after [#clear()]
  boolean take(ByteBuffer from, SendingWatch by) {
    int size = from.remaining();
    boolean more = state == TAKEN && outbox.isLast(at + length);
    if (size == 0 || (state != CLEAR && !more)) {
      return false;
    }
    if (size > Outbox.LARGEST - (more ? length : 0)) {
      return false;
    }
    int place = outbox.lay(from);
    if (place < 0) {
      return false;
    }
    if (more) {
      length += size;
    } else {
      at = place;
      length = size;
      sender = by;
      state = TAKEN;
      outbox.add(this);
    }
    return true;
  }

  /// Sends what is left by direct calls.
  ///
  /// @return whether nothing is left
  boolean clear() throws IOException {
    throwKept();
    if (state == TAKEN) {
      direct(outbox.room(), at, at + length);
    } else if (state == REST) {
      ByteBuffer left = left();
      direct(left, left.position(), left.limit());
    }
    return state == CLEAR;
  }

  private ByteBuffer left() {
    ByteBuffer left = rest;
    if (left == null) {
      throw new IllegalStateException("no rest of " + socket);
    }
    return left;
  }

  private void direct(ByteBuffer bytes, int from, int to) throws IOException {
    int n;
    try {
      n = bytes.isDirect() ? socket.send(bytes, from, to) : staged(bytes, from, to);
    } catch (IOException e) {
      forget();
      throw e;
    }
    if (n == to - from) {
      forget();
    } else {
      keep(bytes, from + n, to);
    }
  }

  private int staged(ByteBuffer bytes, int from, int to) throws IOException {
    ByteBuffer direct = stage.get().put(0, bytes, from, to - from);
    return socket.send(direct, 0, to - from);
  }

  private void keep(ByteBuffer bytes, int from, int to) {
    ByteBuffer left = rest;
    if (left == null) {
      left = ByteBuffer.allocate(to - from).put(0, bytes, from, to - from);
      rest = left;
    } else {
      left.position(from);
    }
    state = REST;
  }

  /// Takes away what has found no room, to be sent elsewhere.
  ///
  /// @return a direct buffer
  ByteBuffer takeRest() {
    ByteBuffer left = state == REST ? left() : ByteBuffer.allocate(0);
    forget();
    return ByteBuffer.allocateDirect(left.remaining()).put(left).flip();
  }

  /// Drops what has found no room.
  void forget() {
    state = CLEAR;
    rest = null;
  }

  /// Fails when something that was taken could not be sent, once.
  void throwKept() throws IOException {
    IOException kept = failure;
    if (kept != null) {
      failure = null;
      throw kept;
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  // ---- in a tick ----

  /// Asks the ring to send it.
  ///
  /// @return false: there is nothing to be sent any more
  boolean submit(long room) {
    SendingWatch by = sender;
    if (state != TAKEN || by == null) {
      return false; // sent directly meanwhile
    }
    state = SUBMITTED;
    by.send(room + at, length);
    return true;
  }

  /// The ring has sent so many bytes.
  ///
  /// @param result or an error's number, below zero
  /// @return whether nothing is left
  boolean sent(int result) {
    outbox.answered();
    if (state != SUBMITTED) {
      return state == CLEAR; // the watch has failed meanwhile, and the writers know
    }
    if (result == length) {
      state = CLEAR;
    } else if (result >= 0 || result == -EAGAIN) {
      int n = Math.max(0, result);
      keep(outbox.room(), at + n, at + length);
    } else {
      fail(Failures.of("io_uring send", result));
    }
    return state == CLEAR;
  }

  /// There may be room.
  ///
  /// @return whether nothing is left
  boolean resume() {
    if (state == REST) {
      try {
        return clear();
      } catch (IOException e) {
        failure = Failures.of(e); // direct() has forgotten the rest already
      }
    }
    return state != SUBMITTED;
  }

  /// Nothing can be sent any more.
  void fail(IOException why) {
    if (state != CLEAR) {
      forget();
      failure = why;
    }
  }
}
