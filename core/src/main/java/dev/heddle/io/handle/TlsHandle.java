// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.Body;
import dev.heddle.DeadlineException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.TlsSocket;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.FairSemaphore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// TLS over another handle.
public final class TlsHandle extends Handle implements TlsSocket {
  /*
   * The JDK's engine turns bytes into records and back; it never waits. After every step it is
   * asked again what it wants next (to write, to read, to compute): a reader may have to write (an
   * answer to a new key), and a writer to compute.
   *
   * Order. Reader and writer may both make records, which must leave whole and in the order in
   * which they were made. So they are put into `unsent` as they are made, and the coroutine that
   * has `sending` writes them. A coroutine that is cancelled with half a record on its way leaves
   * the rest to a coroutine that the loop starts.
   *
   * The end. A peer that is done says so (close_notify). A connection that ends without it was cut,
   * perhaps by an attacker: reading it as an end would pass a part for the whole (truncation). So
   * it is an error.
   *
   * Buffers. Bytes that are no whole record yet stay in `incoming`; what a record held and the
   * reader had no room for stays in `plain`. A cancelled read leaves both as they are.
   *
   * Computing (certificates, keys) takes milliseconds. A thread beside the loop does it, for the
   * coroutine that meets it first; a second one waits for that one.
   *
   * Alerts. When the engine fails it has an alert for the peer, which must leave before the failure
   * is thrown: otherwise the peer does not learn what was wrong. A failure of a computation is
   * thrown by the next call that makes or takes a record, whichever it is; the alert comes with the
   * call after it.
   *
   * A handshake that has failed is followed by a close, and closing a connection that has unread
   * input resets it: the peer, in the middle of its own messages, would see the reset in its next
   * write and never read the alert. So what still comes is read and dropped until the peer has
   * closed, as it must after an alert; for ALERT_PATIENCE at most.
   *
   * Sources. RFC 8446, 6.1, 6.2.
   */
  private static final Duration ALERT_PATIENCE =
      Duration.ofSeconds(1); // a round trip, also of a slow line
  private static final long ALERT_INPUT =
      1 << 20; // bytes; more than a handshake has: who sends more does not listen

  private final AsyncIo over;
  private final SSLEngine engine;

  private final FairSemaphore sending;

  // loop only
  private final ArrayDeque<ByteBuffer> unsent =
      new ArrayDeque<>(1); // records, the first maybe half
  private ByteBuffer incoming; // to be read from: bytes of the connection
  private ByteBuffer plain; // to be read from: bytes for the reader
  private @Nullable ByteBuffer recordBuffer; // for a record to be written
  private boolean cut;

  /// TLS over `over`, which is closed with it.
  ///
  /// @param engine its mode and parameters are set
  public TlsHandle(CoroutineNode<?> self, AsyncIo over, SSLEngine engine) {
    super(self.scheduler());
    this.over = over;
    this.engine = engine;
    this.sending = new FairSemaphore(self.scheduler(), 1, this);
    this.incoming = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).flip();
    this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
  }

  // ---- the handshake ----

  /// Agrees with the other side on how to go on.
  ///
  /// @return this handle
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
      // safe: the failure of the handshake is being thrown
    }
  }

  private boolean isHandshaking() {
    HandshakeStatus status = engine.getHandshakeStatus();
    return status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED;
  }

  // does what the engine wants, if that is not to read; else reads
  private void step(CoroutineNode<?> self, Deadline deadline) throws IOException {
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> compute(self);
      case NEED_WRAP -> wrap(self, ByteBuffer.allocate(0), deadline);
      default -> unwrap(self, deadline);
    }
  }

  private void compute(CoroutineNode<?> self) throws IOException {
    Runnable task = engine.getDelegatedTask();
    if (task == null) {
      // somebody else of this handle's has taken it
      scheduler().yieldFrom(self);
    } else {
      // the engine hands it out once: who leaves it undone leaves the connection stuck
      shielded(
          self,
          () ->
              LoopRuntime.of(self)
                  .blockingPools()
                  .offload()
                  .run(self, "the cryptography of " + this, asCall(task)));
    }
  }

  private static Callable<Object> asCall(Runnable task) {
    return () -> {
      task.run();
      return task;
    };
  }

  private static void shielded(CoroutineNode<?> self, Body<?> body) throws IOException {
    try {
      self.shielded(body);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("cryptography throws nothing that is checked", e);
    }
  }

  // ---- records ----

  /// Makes one record of what `from` has, and writes it.
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
        keepUnsent();
        throw e;
      }
    }
  }

  // in the order in which they were made, whoever has made them
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

  // half a record is of no use to anybody
  private void keepUnsent() {
    if (!unsent.isEmpty() && over.isOpen()) {
      scheduler().notifyLater(this::sendUnsent);
    }
  }

  private void sendUnsent() {
    try {
      send(CoroutineNode.current(), Deadline.never());
    } catch (IOException _) {
      // safe: the connection broke; whoever reads or writes next is told so
    }
  }

  private ByteBuffer takeRecordBuffer() {
    ByteBuffer record = recordBuffer;
    recordBuffer = null;
    int size = engine.getSession().getPacketBufferSize();
    return record == null || record.capacity() < size ? ByteBuffer.allocate(size) : record.clear();
  }

  /// Takes one record of what has come, or waits for more of it.
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
        // a record was taken, or the end
      }
    }
  }

  // the alert that tells the other side what was wrong
  private void sendAlert(CoroutineNode<?> self, Deadline deadline) {
    if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      try {
        ByteBuffer alert = takeRecordBuffer();
        engine.wrap(ByteBuffer.allocate(0), alert);
        write(self, alert, deadline);
      } catch (IOException _) {
        // safe: the reason is being thrown
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

  // the other side wants a new agreement, and maybe nobody reads
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
    writeExclusively(
        Deadline.never(),
        self -> {
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
      // safe: it is as good as closed; who read from the other side sees that it was cut
    }
  }

  @Override
  public String toString() {
    return "TLS over " + over;
  }
}
