// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.DeadlineException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.internal.Rethrow;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.TlsSocket;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.thread.worker.OffloadPool;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// A TLS connection over another handle.
public final class TlsHandle extends Handle implements TlsSocket {
  /*
   * The JDK's engine converts bytes to records and back and never blocks. After every step its
   * state says what it needs next (wrap, unwrap, a task): a reader may have to write (the reply to
   * a key update), and a writer to run a task.
   *
   * Order. Reader and writer may both produce records, which must be sent whole and in the order of
   * their production. So they are appended to `unsent`, and the holder of `sending` writes them. If
   * that coroutine is cancelled after half a record, a coroutine that the loop starts sends the
   * rest.
   *
   * The end. A peer ends its output by close_notify. If the connection ends without it, an attacker
   * may have cut it: treating that as the end would present truncated data as complete. So it is an
   * error.
   *
   * Buffers. Bytes of an incomplete record stay in `incoming`; decrypted bytes that the reader had
   * no room for stay in `plain`. A cancelled read leaves both as they are.
   *
   * Tasks of the engine (certificates, keys) take milliseconds. A worker thread runs them for the
   * coroutine that encounters them first; a second coroutine waits for that one.
   *
   * Alerts. When the engine fails, it has an alert for the peer, which must be sent before the
   * failure is thrown: otherwise the peer does not learn the reason. A failure of a task is thrown
   * by the next wrap or unwrap; the alert comes with the call after it.
   *
   * A handshake that has failed is followed by a close, and closing a connection that has unread
   * input resets it: the peer, in the middle of its own messages, would see the reset in its next
   * write and never read the alert. So further input is read and dropped until the peer has closed,
   * as it must after an alert, for ALERT_PATIENCE at most.
   *
   * Sources. RFC 8446, 6.1, 6.2.
   */
  private static final Duration ALERT_PATIENCE = Duration.ofSeconds(1); // a slow round trip
  private static final long ALERT_INPUT = 1 << 20; // bytes; more than a handshake has

  private final AsyncIo over;
  private final SSLEngine engine;

  private final FairSemaphore sending;

  // loop only
  // records; the first may be partly sent
  private final ArrayDeque<ByteBuffer> unsent = new ArrayDeque<>(1);
  private ByteBuffer incoming; // in read mode: bytes of the connection
  private ByteBuffer plain; // in read mode: bytes for the reader
  private @Nullable ByteBuffer recordBuffer; // reused for the next record
  private boolean cut;

  /// TLS over `over`, which is closed with it.
  ///
  /// @param engine configured with its mode and parameters
  public TlsHandle(CoroutineNode<?> self, AsyncIo over, SSLEngine engine) {
    super(self.scheduler());
    this.over = over;
    this.engine = engine;
    this.sending = new FairSemaphore(self.scheduler(), 1, this);
    this.incoming = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).flip();
    this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
  }

  // ---- the handshake ----

  /// Performs the handshake.
  public TlsHandle handshake() throws IOException {
    engine.beginHandshake();
    CoroutineNode<?> self = self();
    try {
      while (isHandshaking()) {
        step(self, Deadline.never());
      }
    } catch (SSLException e) {
      awaitCloseNotify();
      throw e;
    }
    return this;
  }

  private void awaitCloseNotify() {
    Deadline soon = Deadline.after(ALERT_PATIENCE);
    ByteBuffer away = ByteBuffer.allocate(incoming.capacity());
    try {
      if (over instanceof StreamSocket socket) {
        socket.shutdownOutput();
      }
      long left = ALERT_INPUT;
      for (int n = 0; n >= 0 && left > 0; left -= n) {
        n = over.read(away.clear(), soon);
      }
    } catch (IOException | DeadlineException _) {
      // safe: the handshake's failure is thrown
    }
  }

  private boolean isHandshaking() {
    HandshakeStatus status = engine.getHandshakeStatus();
    return status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED;
  }

  // performs what the engine needs before it can read, or reads
  private void step(CoroutineNode<?> self, Deadline deadline) throws IOException {
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> compute(self);
      case NEED_WRAP -> wrap(self, ByteBuffer.allocate(0), deadline);
      default -> unwrap(self, deadline);
    }
  }

  private void compute(CoroutineNode<?> self) {
    Runnable task = engine.getDelegatedTask();
    if (task == null) {
      // another coroutine has taken the task
      scheduler().yieldFrom(self);
    } else {
      // the engine hands out a task once: if it does not run, the connection is stuck
      OffloadPool pool = LoopRuntime.of(self).blockingPools().offload();
      Callable<Object> call = Executors.callable(task);
      try {
        self.shielded(() -> pool.run(self, "the cryptography of " + this, call));
      } catch (Exception e) {
        throw Rethrow.unchecked(e);
      }
    }
  }

  // ---- records ----

  /// Wraps bytes of `from` in one record and sends it.
  private void wrap(CoroutineNode<?> self, ByteBuffer from, Deadline deadline) throws IOException {
    ByteBuffer record = takeRecordBuffer();
    SSLEngineResult result;
    try {
      result = engine.wrap(from, record);
    } catch (SSLException e) {
      recordBuffer = record;
      sendAlert(self, deadline);
      throw e;
    }
    if (result.getStatus() == SSLEngineResult.Status.CLOSED && record.position() == 0) {
      throw new IOException("no more can be written to " + this + ": its output was shut down");
    }
    write(self, record, deadline);
    recordBuffer = record;
  }

  private void write(CoroutineNode<?> self, ByteBuffer record, Deadline deadline)
      throws IOException {
    if (record.position() > 0) {
      unsent.add(record.flip());
      try {
        send(self, deadline);
      } catch (Throwable e) {
        if (!unsent.isEmpty() && over.isOpen()) {
          scheduler().notifyLater(this::sendUnsent); // half a record is useless to the peer
        }
        throw e;
      }
    }
  }

  // in the order of their production
  private void send(CoroutineNode<?> self, Deadline deadline) throws IOException {
    if (!sending.tryAcquire()) {
      sending.awaitPermit(self, deadline, null);
    }
    try {
      for (ByteBuffer next = unsent.peek(); next != null; next = unsent.peek()) {
        over.write(next, deadline);
        unsent.remove();
      }
    } finally {
      sending.release();
    }
  }

  private void sendUnsent() {
    try {
      send(CoroutineNode.current(), Deadline.never());
    } catch (IOException _) {
      // safe: the connection failed; the next read or write reports it
    }
  }

  private ByteBuffer takeRecordBuffer() {
    ByteBuffer record = recordBuffer;
    recordBuffer = null;
    int size = engine.getSession().getPacketBufferSize();
    return record == null || record.capacity() < size ? ByteBuffer.allocate(size) : record.clear();
  }

  /// Unwraps one record, or waits for more bytes.
  private void unwrap(CoroutineNode<?> self, Deadline deadline) throws IOException {
    plain.compact();
    SSLEngineResult result;
    try {
      result = engine.unwrap(incoming, plain);
    } catch (SSLException e) {
      sendAlert(self, deadline);
      throw e;
    } finally {
      plain.flip();
    }
    switch (result.getStatus()) {
      case BUFFER_UNDERFLOW -> receive(deadline);
      case BUFFER_OVERFLOW -> plain = larger(plain, engine.getSession().getApplicationBufferSize());
      default -> {
        // a record was unwrapped, or the end reached
      }
    }
  }

  // the alert that tells the peer the reason
  private void sendAlert(CoroutineNode<?> self, Deadline deadline) {
    if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      try {
        ByteBuffer alert = takeRecordBuffer();
        engine.wrap(ByteBuffer.allocate(0), alert);
        write(self, alert, deadline);
      } catch (IOException _) {
        // safe: the failure is thrown
      }
    }
  }

  private void receive(Deadline deadline) throws IOException {
    incoming.compact();
    try {
      if (!incoming.hasRemaining()) {
        incoming = larger(incoming.flip(), engine.getSession().getPacketBufferSize()).compact();
      }
      cut = over.read(incoming, deadline) < 0;
    } finally {
      incoming.flip();
    }
    if (cut) {
      throw ended();
    }
  }

  private EOFException ended() {
    return new EOFException(
        this
            + " ended without close_notify: the peer closed the connection early, or the data was"
            + " truncated");
  }

  private static ByteBuffer larger(ByteBuffer kept, int more) {
    return ByteBuffer.allocate(kept.remaining() + more).put(kept).flip();
  }

  // ---- the handle ----

  @Override
  protected int readSome(CoroutineNode<?> self, ByteBuffer into, Deadline deadline)
      throws IOException {
    while (!plain.hasRemaining()) {
      if (cut) {
        throw ended();
      }
      if (engine.isInboundDone()) {
        return -1;
      }
      step(self, deadline);
    }
    int n = Math.min(plain.remaining(), into.remaining());
    into.put(into.position(), plain, plain.position(), n);
    into.position(into.position() + n);
    plain.position(plain.position() + n);
    return n;
  }

  @Override
  protected void writeWhole(CoroutineNode<?> self, ByteBuffer from, Deadline deadline)
      throws IOException {
    while (from.hasRemaining()) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> compute(self);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> renegotiate(deadline);
        default -> wrap(self, from, deadline);
      }
    }
  }

  // the peer wants to renegotiate, and there may be no reader
  private void renegotiate(Deadline deadline) throws IOException {
    readExclusively(
        deadline,
        self -> {
          if (isHandshaking()) {
            step(self, deadline);
          }
          return self;
        });
  }

  @Override
  public void shutdownOutput() throws IOException {
    writeExclusively(self -> {
      if (!engine.isOutboundDone()) {
        engine.closeOutbound();
        while (!engine.isOutboundDone()) {
          wrap(self, ByteBuffer.allocate(0), Deadline.never());
        }
      }
      return self;
    });
  }

  @Override
  public SSLSession session() {
    return engine.getSession();
  }

  @Override
  public String protocol() {
    String agreed = engine.getApplicationProtocol();
    return agreed == null ? "" : agreed;
  }

  @Override
  protected void onClose() {
    sendCloseNotify();
    over.close();
  }

  private void sendCloseNotify() {
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.closeOutbound();
    try {
      engine.wrap(ByteBuffer.allocate(0), record);
      if (over instanceof Handle below && unsent.isEmpty()) {
        below.tryWriteNow(record.flip());
      }
    } catch (IOException _) {
      // safe: it is being closed; the peer sees a missing close_notify
    }
  }

  @Override
  public String toString() {
    return "TLS over " + over;
  }
}
