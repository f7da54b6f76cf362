// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.linux.RawStream;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/// A pipe or terminal that the loop writes without blocking.
public final class DescriptorSink implements PipeSink {
  private static final byte END_KEY =
      4; // Ctrl-D: ends the current line, or the input at the start of a line

  /// The default keys of a terminal that end, send or discard a line. Changes by the program are
  /// not seen.
  private static final byte[] LINE_ENDS = {'\n', '\r', 3, END_KEY, 21, 26, 28};

  private final Scheduler scheduler;
  private final RawStream stream;
  private final PollEvent writable;
  private final boolean isTerminal;
  private final FairSemaphore writing; // orders whole writes

  // loop only
  private boolean closed;
  private byte last = '\n'; // byte written
  private @Nullable End end; // of the input
  private boolean held; // kept open after its end

  /// The loop's end of a pipe.
  ///
  /// @param what for dumps
  /// @param isTerminal whether the end is a key, because the terminal stays open
  public DescriptorSink(Scheduler scheduler, RawStream stream, String what, boolean isTerminal) {
    this.scheduler = scheduler;
    this.stream = stream;
    this.writable = new PollEvent(scheduler, Direction.WRITE, stream, what);
    this.isTerminal = isTerminal;
    this.held = isTerminal;
    this.writing = new FairSemaphore(scheduler, 1, what);
  }

  @Override
  public void write(ByteBuffer buffer) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    writing.acquire(CoroutineNode.current());
    try {
      requireOpen();
      while (buffer.hasRemaining()) {
        if (stream.write(buffer) == 0) {
          scheduler.await(writable);
          requireOpen();
        } else {
          last = buffer.get(buffer.position() - 1);
        }
      }
    } finally {
      writing.release();
    }
  }

  // it may have been closed while this writer was queued or resumed
  private void requireOpen() throws IOException {
    if (closed) {
      throw new AsynchronousCloseException();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      // thrown once: there is one waiter
      writable.abort(new AsynchronousCloseException());
      if (isTerminal) {
        end = new End(isInsideALine() ? 2 : 1);
        end.say();
      } else {
        stream.close();
      }
    }
  }

  private boolean isInsideALine() {
    for (byte key : LINE_ENDS) {
      if (key == last) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void closeAtOnce() {
    close();
    if (end != null) {
      end.leave();
    }
  }

  /// Called when the child has ended. Until then a terminal stays open, even if its input and
  /// output have ended: closing it would send SIGHUP to a program that has closed its streams but
  /// still runs.
  public void release() {
    held = false;
    if (end != null) {
      end.leave();
    }
  }

  /// The keys that end the input of a terminal, which accepts them when the child has read enough
  /// of the preceding bytes.
  private final class End implements ReadinessListener {
    private final ByteBuffer keys = ByteBuffer.allocate(2);

    End(int count) {
      for (int i = 0; i < count; i++) {
        keys.put(END_KEY);
      }
      keys.flip();
    }

    void say() {
      if (stream.isClosed()) {
        return;
      }
      try {
        int _ = stream.write(keys);
      } catch (IOException _) {
        keys.position(keys.limit()); // safe: there is no reader left
      }
      if (keys.hasRemaining()) {
        // after the waiting writer: a direction has one listener
        scheduler.runOnCarrier(() -> scheduler.runAfterRound(this::await));
      } else if (!held) {
        stream.close();
      }
    }

    private void await() {
      if (!stream.isClosed()) {
        stream.arm(Direction.WRITE, this);
      }
    }

    @Override
    public void onReady(@Nullable Throwable error) {
      scheduler.runOnCarrier(error == null ? this::say : stream::close);
    }

    void leave() {
      stream.disarm(Direction.WRITE, this);
      stream.close();
    }
  }
}
