// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.raw.RawStream;
import dev.heddle.scheduler.Permits;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;

/// A pipe that is written on the loop, as much as it takes at a time.
public final class DescriptorSink implements PipeSink {
  private static final byte END_KEY = 4; // Ctrl-D

  private final Scheduler scheduler;
  private final RawStream stream;
  private final PollEvent writable;
  private final boolean isTerminal;
  private final Permits writing; // whole writes, in the order of their calls

  // loop only
  private boolean closed;

  /// The loop's end of a pipe.
  ///
  /// @param what it takes, for dumps
  /// @param isTerminal whether its end is a key, for there is another way to read from it
  public DescriptorSink(Scheduler scheduler, RawStream stream, String what, boolean isTerminal) {
    this.scheduler = scheduler;
    this.stream = stream;
    this.writable =
        new PollEvent(
            scheduler,
            scheduler.reactor().driver(),
            Operation.Kind.POLL_OUTPUT,
            stream.watched(),
            what);
    this.isTerminal = isTerminal;
    this.writing = new Permits(scheduler, 1, what);
  }

  @Override
  public void write(ByteBuffer buffer) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    writing.take(CoroutineNode.current());
    try {
      requireOpen();
      while (buffer.hasRemaining()) {
        if (stream.write(buffer) == 0) {
          scheduler.await(writable);
          requireOpen();
        }
      }
    } finally {
      writing.giveBack();
    }
  }

  // it may have been closed while this writer stood in line, or after the wait had ended
  private void requireOpen() throws IOException {
    if (closed) {
      throw new AsynchronousCloseException();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      // each who waits gets it with frames of its own: there is one
      writable.abort(new AsynchronousCloseException());
      sayEnd();
      stream.close();
    }
  }

  private void sayEnd() {
    if (isTerminal) {
      try {
        int _ = stream.write(ByteBuffer.wrap(new byte[] {END_KEY}));
      } catch (IOException _) {
        // safe: nobody reads any more
      }
    }
  }
}
