// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.event.source.EventSource;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.WorkerThreads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// A pipe that its own thread reads, a block at a time, on request. The block stays here until it
/// is consumed: a cancelled read loses nothing, and a child whose output is not read blocks on its
/// full pipe, as it should.
///
/// Each pipe has its own thread: with shared threads, children that wait for each other's output
/// could deadlock.
public final class BlockingSource implements PipeSource {
  private static final int BLOCK = 1 << 16; // what a pipe of Linux holds
  private static final int END = -1;

  private final Scheduler scheduler;
  private final InputStream stream;
  private final WorkerThreads thread;
  private final Readiness ready;
  private final Semaphore asked = new Semaphore(0); // one permit per block
  private final byte[] block = new byte[BLOCK]; // owned by the thread while it fetches
  private final Fetched fetched = new Fetched();

  // the loop writes, the thread reads
  private volatile boolean closed;

  // loop only
  private ByteBuffer unread = ByteBuffer.allocate(0);
  private boolean fetching;
  private boolean ended;
  private @Nullable IOException failure;

  /// The loop's end of a pipe.
  ///
  /// @param name of its thread
  /// @param what for dumps
  public BlockingSource(LoopRuntime loop, String name, String what, InputStream stream) {
    this.scheduler = loop.scheduler();
    this.stream = stream;
    this.ready = new Readiness(scheduler, what, () -> !fetching || closed);
    this.thread = loop.blockingPools().open(loop.options().name() + "-" + name, 1, () -> {});
    thread.submit(new OffloadedCall(scheduler, what, this::serve));
    thread.finish();
  }

  // ---- on the loop ----

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (!buffer.hasRemaining()) {
      return 0;
    }
    while (!unread.hasRemaining()) {
      if (failure != null) {
        throw CrossThreadTraces.replaceTrace(failure);
      }
      if (ended) {
        return END;
      }
      scheduler.await(ready());
      if (closed) {
        throw new AsynchronousCloseException();
      }
    }
    int taken = Math.min(unread.remaining(), buffer.remaining());
    buffer.put(unread.slice().limit(taken));
    unread.position(unread.position() + taken);
    return taken;
  }

  @Override
  public EventSource ready() {
    if (!closed && !fetching && !ended && failure == null && !unread.hasRemaining()) {
      fetching = true;
      asked.release();
    }
    return ready;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      asked.release();
      ready.notifySubscribers();
    }
  }

  // ---- on its thread ----

  /// Reads on request, until the end. A read cannot be interrupted, so a closed pipe stays open
  /// until its read returns.
  private boolean serve() throws IOException, InterruptedException {
    // When a child has ended, the JDK drains its pipes and closes them, under this monitor: the
    // output of its remaining descendants would be lost.
    synchronized (stream) {
      try (stream) {
        for (asked.acquire(); !closed && fetch(); asked.acquire()) {
          // until the next request
        }
      }
    }
    return true;
  }

  private boolean fetch() {
    int count = END;
    IOException thrown = null;
    try {
      count = stream.read(block);
    } catch (IOException e) {
      thrown = e;
    }
    fetched.count = count;
    fetched.thrown = thrown;
    return scheduler.inbox().post(fetched) && count != END;
  }

  private final class Fetched extends Inbox.Node {
    // the thread writes before it posts, the loop reads
    int count;
    @Nullable IOException thrown;

    @Override
    public void onArrival() {
      clearPosted();
      fetching = false;
      failure = thrown;
      ended = count == END;
      unread = ByteBuffer.wrap(block, 0, Math.max(count, 0));
      ready.notifySubscribers();
    }
  }
}
