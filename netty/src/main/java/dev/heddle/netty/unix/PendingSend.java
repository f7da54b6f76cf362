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
   *   CLEAR      tryAppend()                    TAKEN      a writer; the batch has the bytes
   *   TAKEN      tryAppend(), right behind its  TAKEN      a writer; it grows
   *              own
   *   TAKEN      flush()                        CLEAR      a direct call; REST if it took fewer
   *   TAKEN      submit()                       SUBMITTED  the poll
   *   SUBMITTED  sent(all)                      CLEAR      the poll
   *   SUBMITTED  sent(fewer), sent(EAGAIN)      REST       the poll; the rest leaves the batch
   *   SUBMITTED  sent(an error)                 CLEAR      `failure` is kept
   *   any other  fail(): registration failed    CLEAR      `failure` is kept
   *   REST       flush(), or resume(): room     CLEAR      a direct call; REST if it took fewer
   *
   * It is a short extension of the socket's kernel buffer with the same guarantees: order, delivery
   * also after the program has closed the socket or shut down its output, and a failure that the
   * next call reports. Hence:
   *
   * I1. No byte is sent directly, and no output is shut down, before flush() has reported that
   *     nothing is left. [PendingSendTest]
   * I2. A close does not wait for unsent bytes: the descriptor stays open until they are sent,
   *     cannot be sent, or `heddle.linger` has passed. If some are not sent, the peer gets a reset,
   *     so that it does not take truncated data for complete. [PendingSendTest]
   * I3. The next writer, or the next reader that would see the end, gets a failure: the kernel
   *     reports an error only once, and has reported it here; an end would be wrong.
   *     [PendingSendTest]
   * I4. After a failure or a reported hang-up nothing is batched: each call reports the error
   *     itself. [PendingSendTest]
   *
   * Limits. If a program writes and then holds the loop, or ends the JVM without ending the loop,
   * its bytes are not sent: it needs -Dheddle.sends=direct (decision 0016).
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
  private @Nullable SendingRegistration sender; // sends the batched bytes
  private int at; // offset in the batch's buffer
  private int length;
  private @Nullable ByteBuffer unsent; // on the heap: it may be kept long, and there may be many
  private @Nullable IOException failure;

  /// @param stage a direct buffer that holds heap bytes during a system call
  PendingSend(SendBatch sendBatch, NativeSocket socket, Supplier<ByteBuffer> stage) {
    this.sendBatch = sendBatch;
    this.socket = socket;
    this.stage = stage;
  }

  // ---- on a coroutine's stack ----

  /// Appends all of a write to the batch of the next turn.
  ///
  /// @param by the registration that sends it
  /// @return false if a direct call must send it, after [#flush()]
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

  /// Sends the remaining bytes by direct calls.
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
      throw new IllegalStateException("no unsent bytes of " + socket);
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

  /// Removes the unsent bytes, to be sent elsewhere.
  ///
  /// @return a direct buffer
  ByteBuffer takeUnsent() {
    ByteBuffer left = state == REST ? left() : ByteBuffer.allocate(0);
    forget();
    return ByteBuffer.allocateDirect(left.remaining()).put(left).flip();
  }

  void forget() {
    state = CLEAR;
    unsent = null;
  }

  /// Throws the failure of a batched send, once.
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

  // ---- in a poll ----

  /// Submits the bytes to the ring.
  ///
  /// @return false if there is nothing to send any more
  boolean submit(long room) {
    SendingRegistration by = sender;
    if (state != TAKEN || by == null) {
      return false; // sent directly meanwhile
    }
    state = SUBMITTED;
    by.send(room + at, length);
    return true;
  }

  /// Called when the ring has completed the send.
  ///
  /// @param result number of bytes, or a negated error number
  /// @return whether nothing is left
  boolean sent(int result) {
    sendBatch.completed();
    if (state != SUBMITTED) {
      return state == CLEAR; // the registration has failed meanwhile, and the writers were notified
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

  /// Called when the kernel may have room.
  ///
  /// @return whether nothing is left
  boolean resume() {
    if (state == REST) {
      try {
        return flush();
      } catch (IOException e) {
        failure = Failures.of(e); // direct() has dropped the rest
      }
    }
    return state != SUBMITTED;
  }

  /// Called when nothing can be sent any more.
  void fail(IOException why) {
    if (state != CLEAR) {
      forget();
      failure = why;
    }
  }
}
