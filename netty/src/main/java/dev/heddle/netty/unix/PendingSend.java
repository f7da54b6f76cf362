// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Bytes that a socket's writers have submitted and the kernel has not yet accepted; their calls
/// have returned.
final class PendingSend {
  /*
   * States.
   *   from       event                          to         who, how
   *   CLEAR      tryAppend()                         TAKEN      a writer; the outbox has the bytes
   *   TAKEN      tryAppend(), right behind its own   TAKEN      a writer; it grows
   *   TAKEN      flush()                        CLEAR      a direct call; REST if it took fewer
   *   TAKEN      submit()                       SUBMITTED  the tick
   *   SUBMITTED  sent(all)                      CLEAR      the tick
   *   SUBMITTED  sent(fewer), sent(EAGAIN)      REST       the tick; the rest leaves the outbox
   *   SUBMITTED  sent(an error)                 CLEAR      `failure` is kept
   *   any other  fail(): the watch has failed   CLEAR      `failure` is kept
   *   REST       flush(), or resume(): room     CLEAR      a direct call; REST if it took fewer
   *
   * It is a short extension of the socket's buffer in the kernel, and promises the same: order,
   * delivery also after the program has closed the socket or ended its output, and a failure that
   * the next call reports. Hence:
   *
   * I1. Nothing is sent directly, and no output is ended, before flush() has said that nothing is
   *     left. [PendingSendTest]
   * I2. A close does not wait for the rest: the descriptor stays until the rest has left, or cannot
   *     leave, or `heddle.linger` is over. If some of it does not leave, the peer gets a reset: it
   *     must not take a part for the whole. [PendingSendTest]
   * I3. The next writer gets a failure, or the next reader that would see an end: the kernel
   *     reports an error once, and has reported it to us; an end would be a lie. [PendingSendTest]
   * I4. After a failure, or a reported hang-up, nothing is taken: each call reports it itself.
   *     [PendingSendTest]
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

  private final SendBatch sendBatch;
  private final NativeSocket socket;
  private final Supplier<ByteBuffer> stage;
  private int state = CLEAR;
  private @Nullable SendingRegistration sender; // of what is taken
  private int at; // in the outbox
  private int length;
  private @Nullable ByteBuffer unsent; // of the heap: it may wait for long, and there may be many
  private @Nullable IOException failure;

  /// @param stage where bytes of the heap stand during a system call
  PendingSend(SendBatch sendBatch, NativeSocket socket, Supplier<ByteBuffer> stage) {
    this.sendBatch = sendBatch;
    this.socket = socket;
    this.stage = stage;
  }

  // ---- on a coroutine's stack ----

  /// Takes all of a write, to send it in the next turn.
  ///
  /// @param by sends it
  /// @return false: it is for a direct call, after [#flush()]
  boolean tryAppend(ByteBuffer from, SendingRegistration by) {
    int size = from.remaining();
    boolean more = state == TAKEN && sendBatch.isLast(at + length);
    if (size == 0 || (state != CLEAR && !more)) {
      return false;
    }
    if (size > SendBatch.LARGEST - (more ? length : 0)) {
      return false;
    }
    int place = sendBatch.append(from);
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
      sendBatch.add(this);
    }
    return true;
  }

  /// Sends what is left by direct calls.
  ///
  /// @return whether nothing is left
  boolean flush() throws IOException {
    throwDeferredFailure();
    if (state == TAKEN) {
      direct(sendBatch.room(), at, at + length);
    } else if (state == REST) {
      ByteBuffer left = left();
      direct(left, left.position(), left.limit());
    }
    return state == CLEAR;
  }

  private ByteBuffer left() {
    ByteBuffer left = unsent;
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
    ByteBuffer left = unsent;
    if (left == null) {
      left = ByteBuffer.allocate(to - from).put(0, bytes, from, to - from);
      unsent = left;
    } else {
      left.position(from);
    }
    state = REST;
  }

  /// Takes away what has found no room, to be sent elsewhere.
  ///
  /// @return a direct buffer
  ByteBuffer takeUnsent() {
    ByteBuffer left = state == REST ? left() : ByteBuffer.allocate(0);
    forget();
    return ByteBuffer.allocateDirect(left.remaining()).put(left).flip();
  }

  /// Drops what has found no room.
  void forget() {
    state = CLEAR;
    unsent = null;
  }

  /// Fails when something that was taken could not be sent, once.
  void throwDeferredFailure() throws IOException {
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
    SendingRegistration by = sender;
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
    sendBatch.completed();
    if (state != SUBMITTED) {
      return state == CLEAR; // the watch has failed meanwhile, and the writers know
    }
    if (result == length) {
      state = CLEAR;
    } else if (result >= 0 || result == -EAGAIN) {
      int n = Math.max(0, result);
      keep(sendBatch.room(), at + n, at + length);
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
        return flush();
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
