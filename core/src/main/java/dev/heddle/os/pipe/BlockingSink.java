// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.WorkerThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// A pipe that is written by a thread of its own, a block at a time.
public final class BlockingSink implements PipeSink {
  private static final int BLOCK = 1 << 16; // what a pipe of Linux holds

  private final Scheduler scheduler;
  private final OutputStream stream;
  private final WorkerThreads thread;
  private final String what;
  private final Readiness ready;
  private final FairSemaphore writing; // whole writes, in the order of their calls

  // loop only
  private boolean sending;
  private boolean closed;
  private @Nullable IOException failure;

  /// The loop's end of a pipe.
  ///
  /// @param name of its thread
  /// @param what it takes, for dumps
  public BlockingSink(LoopRuntime loop, String name, String what, OutputStream stream) {
    this.scheduler = loop.scheduler();
    this.stream = stream;
    this.what = what;
    this.thread = loop.blockingPools().open(loop.options().name() + "-" + name, 1, () -> {});
    this.ready = new Readiness(scheduler, what, () -> !sending || closed);
    this.writing = new FairSemaphore(scheduler, 1, what);
  }

  @Override
  public void write(ByteBuffer buffer) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    writing.acquire(CoroutineNode.current());
    try {
      awaitReady();
      while (buffer.hasRemaining()) {
        byte[] block = new byte[Math.min(buffer.remaining(), BLOCK)];
        buffer.get(block);
        send(block);
        awaitReady();
      }
    } finally {
      writing.release();
    }
  }

  // in a loop: what a cancelled writer has sent may still be on its way
  private void awaitReady() throws IOException {
    while (!ready.isClosed()) {
      scheduler.await(ready);
    }
    if (closed) {
      throw new AsynchronousCloseException();
    }
    if (failure != null) {
      throw CrossThreadTraces.replaceTrace(failure);
    }
  }

  private void send(byte[] block) {
    sending = true;
    submit(
        () -> {
          stream.write(block);
          stream.flush();
          return true;
        },
        (event, result, error) -> {
          sending = false;
          failure = error == null || error instanceof IOException ? (IOException) error : failure;
          ready.tell();
        });
  }

  /// Behind what is being written: the JDK's stream would wait for that.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      submit(
          () -> {
            stream.close();
            return true;
          },
          (event, result, error) -> {
            // nobody is to be told that a child that has ended does not read the rest
          });
      thread.finish();
      ready.tell();
    }
  }

  private void submit(Callable<?> call, InlineCallback whenDone) {
    OffloadedCall offloadedCall = new OffloadedCall(scheduler, what, call);
    offloadedCall.done().subscribe(whenDone);
    thread.submit(offloadedCall);
  }
}
