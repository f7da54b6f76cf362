// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Heddle;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;

/// What Netty's handlers, coroutines and a thread of no loop's all want: a lock, a logger, whose
/// handler has a lock of its own, and the pooled allocator, whose arenas have theirs.
///
/// A coroutine is parked while it holds the lock, and so is the thread: a handler that wants it has
/// to wait, and the loop must go on.
final class SharedLock implements AutoCloseable {
  private static final long LONGEST_HELD = 1_000_000; // ns
  private static final long LONGEST_PAUSE = 5_000_000; // ns
  private static final int LARGEST = 20_000; // bytes
  private static final Logger LOG = Logger.getLogger("soak");

  private final ReentrantLock lock = new ReentrantLock();
  private final Thread stranger =
      Thread.ofPlatform().daemon().name("stranger").unstarted(this::interfere);

  // lock
  private long holders;
  private boolean held;

  // any thread
  private final AtomicLong broken = new AtomicLong();
  private volatile boolean closed;

  SharedLock() {
    LOG.setUseParentHandlers(false);
    LOG.setLevel(Level.FINE);
    var handler = new StreamHandler(OutputStream.nullOutputStream(), new SimpleFormatter());
    handler.setLevel(Level.FINE);
    LOG.addHandler(handler);
    stranger.start();
  }

  /// Runs `body` with the lock, and a line in the log. **Thread** any; may wait.
  <T> T holding(Supplier<T> body) {
    lock.lock();
    try {
      if (held) {
        broken.incrementAndGet();
      }
      held = true;
      holders++;
      LOG.fine("somebody holds it");
      return body.get();
    } finally {
      held = false;
      lock.unlock();
    }
  }

  /// How often somebody had it while somebody else did. **Thread** any.
  long broken() {
    return broken.get();
  }

  /// How often somebody had it. **Thread** any; may wait.
  long holders() {
    return holding(() -> holders);
  }

  /// A coroutine that is parked with the lock in its hand, again and again.
  void holdAndPark(Random random) {
    while (true) {
      holding(() -> {
        Heddle.delay(Duration.ofNanos(random.nextLong(LONGEST_HELD)));
        return null;
      });
      Heddle.delay(Duration.ofNanos(random.nextLong(LONGEST_PAUSE)));
    }
  }

  /// The thread.
  private void interfere() {
    var random = new Random(7);
    while (!closed) {
      holding(() -> {
        LockSupport.parkNanos(random.nextLong(LONGEST_HELD));
        return null;
      });
      int size = 1 + random.nextInt(LARGEST);
      ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(size);
      LOG.fine("the stranger has a buffer");
      buffer.writeZero(size).release();
      LockSupport.parkNanos(random.nextLong(LONGEST_PAUSE));
    }
  }

  /// Ends the thread, and waits for that: it would log while the JVM closes its logs.
  @Override
  public void close() throws InterruptedException {
    closed = true;
    stranger.join();
  }
}
