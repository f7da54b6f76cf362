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

/// A pipe that its own thread writes, a block at a time.
public final class BlockingSink implements PipeSink {
  private static final int BLOCK = 1 << 16; // capacity of a pipe on Linux

  private final Scheduler scheduler;
  private final OutputStream stream;
  private final WorkerThreads thread;
  private final String what;
  private final Readiness ready;
  private final FairSemaphore writing; // orders whole writes

  // loop only
  private boolean sending;
  private boolean closed;
  private @Nullable IOException failure;

  /// The loop's end of a pipe.
  ///
  /// @param name name of its thread
  /// @param what for dumps
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

  // in a loop: a cancelled writer's block may still be in flight
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
          ready.notifySubscribers();
        });
  }

  /// Closes after the block that is being written, because the JDK's stream would wait for it.
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
            // an ended child does not read the rest: not an error
          });
      thread.finish();
      ready.notifySubscribers();
    }
  }

  private void submit(Callable<?> call, InlineCallback whenDone) {
    OffloadedCall offloadedCall = new OffloadedCall(scheduler, what, call);
    offloadedCall.done().subscribe(whenDone);
    thread.submit(offloadedCall);
  }
}
