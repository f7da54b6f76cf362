// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// What the writers of a socket have handed over and the system does not have yet: to them it is
/// written.
final class Outgoing {
  /*
   * States.  CLEAR      take()                               TAKEN      a writer; the bytes lie in the outbox
   *          TAKEN      take(), nobody's bytes behind        TAKEN      longer
   *          TAKEN      clear(), whoever cannot wait         CLEAR      by a direct call; REST if it took fewer
   *          TAKEN      submit()                             SUBMITTED  the tick
   *          SUBMITTED  sent(all)                            CLEAR      the tick
   *          SUBMITTED  sent(fewer), sent(EAGAIN)            REST       the tick; what is left moves out of the outbox
   *          SUBMITTED  sent(an error)                       CLEAR      and `failure` is kept
   *          any other  fail(), the watch has failed         CLEAR      and `failure` is kept
   *          REST       clear(): a writer, or goOn(): room   CLEAR      by a direct call; REST if it took fewer
   *
   * It is what a socket's buffer in the kernel is, a little longer, and promises the same: order, delivery also when the
   * program closes or ends its output, and word of a failure with the next call. Hence:
   *
   * I1. Nothing is sent directly, and no output is ended, before clear() has said that nothing is left. [OutgoingTest]
   * I2. Whoever closes with a rest does not wait for it: the descriptor stays until the rest has left, or cannot, or has waited for
   *     as long as `heddle.linger` says. Of what does not leave the other side is told by a reset: no end follows a part. [OutgoingTest]
   * I3. A failure meets the next writer, or the next reader who would see an end: the kernel tells an error once, and
   *     told it to us; an end would be a lie. [OutgoingTest]
   *
   * I4. After a failure, or a hang-up that was told, nothing is taken: each call says so itself. [OutgoingTest]
   *
   * Limits. Who writes and then keeps the loop from its next turn, or ends the JVM without ending the loop, keeps his bytes from
   * leaving: -Dheddle.sends=direct is for him (decision 0016).
   */
  private static final int CLEAR = 0;
  private static final int TAKEN = 1;
  private static final int SUBMITTED = 2;
  private static final int REST = 3;
  private static final int EAGAIN = 11;

  private final Outbox outbox;
  private final UnixSocket socket;
  private int state = CLEAR;
  private int at; // in the outbox
  private int length;
  private @Nullable ByteBuffer rest; // of the heap: it may wait for long, and there may be many
  private @Nullable IOException failure;

  Outgoing(Outbox outbox, UnixSocket socket) {
    this.outbox = outbox;
    this.socket = socket;
  }

  // ---- on a coroutine's stack ----

  /// Takes all of a write, to send it in the next turn.
  ///
  /// @return false: it is for a direct call, after [#clear()]
  boolean take(ByteBuffer from) {
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
      throw new IllegalStateException("no rest of " + socket.fd());
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
    ByteBuffer stage = socket.driver().stage();
    stage.put(0, bytes, from, to - from);
    return socket.send(stage, 0, to - from);
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

  /// Takes away what has found no room, to be sent by somebody else.
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
    if (state != TAKEN) {
      return false; // sent directly meanwhile
    }
    state = SUBMITTED;
    socket.sender().send(room + at, length);
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
  boolean goOn() {
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
