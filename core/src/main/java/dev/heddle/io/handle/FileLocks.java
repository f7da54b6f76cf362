// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.internal.Rethrow;
import dev.heddle.io.LockedRange;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.thread.worker.OffloadPool;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The locks of one file.
final class FileLocks {
  /*
   * A thread that waits in the system for a lock returns only when it gets the lock or the file is
   * closed. A few such threads would occupy the pool and block all other requests. So a lock is
   * requested without waiting, and again after a pause on the loop that grows from 1 to 50 ms. That
   * pause can be cancelled and holds no thread.
   *
   * The JDK throws if a lock overlaps another one of the same process; here that counts as a
   * conflict like any other.
   *
   * A lock that is granted after its caller has left is released: both swap `outcome`, and the
   * second one releases it.
   *
   * Sources. trap-34.
   */
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final OpenFile file;
  private final Object owner;
  private final OffloadPool pool;

  FileLocks(CoroutineNode<?> self, OpenFile file, Object owner) {
    this.file = file;
    this.owner = owner;
    this.pool = LoopRuntime.of(self).blockingPools().locks();
  }

  /// Tries once.
  ///
  /// @return null when there is a conflict
  @Nullable LockedRange ask(CoroutineNode<?> self, long position, long size, boolean shared) {
    Attempt attempt = new Attempt(position, size, shared);
    try {
      pool.run(self, "a lock of " + owner, attempt);
    } catch (Throwable e) {
      release(self, attempt.take());
      throw e;
    }
    FileLock lock = attempt.take();
    return lock == null ? null : new HeldLock(lock);
  }

  /// Pauses before the next try.
  ///
  /// @return the next pause
  static Duration pause(CoroutineNode<?> self, @Nullable Duration last) {
    Duration next = last == null ? FIRST_PAUSE : last.plus(last);
    Duration pause = next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE;
    self.delay(pause);
    return pause;
  }

  private void release(CoroutineNode<?> self, @Nullable FileLock lock) {
    if (lock == null) {
      return;
    }
    try {
      self.shielded(() ->
          pool.run(
              self,
              "the release of a lock of " + owner,
              () -> {
                lock.release();
                return lock;
              }));
    } catch (Exception e) {
      throw Rethrow.unchecked(e);
    }
  }

  /// One try, with the hand-over of its result.
  private final class Attempt implements Callable<@Nullable Object> {
    private static final Object GONE = new Object();

    private final long position;
    private final long size;
    private final boolean shared;
    private final AtomicReference<@Nullable Object> outcome = new AtomicReference<>();

    Attempt(long position, long size, boolean shared) {
      this.position = position;
      this.size = size;
      this.shared = shared;
    }

    @Override
    public @Nullable Object call() throws IOException {
      FileLock lock;
      try {
        lock = file.channel(!shared).tryLock(position, size, shared);
      } catch (OverlappingFileLockException _) {
        return null; // a conflict within this process
      }
      if (lock != null && !outcome.compareAndSet(null, lock)) {
        lock.release();
      }
      return null;
    }

    /// The lock if it was granted; a lock granted later is released by its thread.
    @Nullable FileLock take() {
      return outcome.getAndSet(GONE) instanceof FileLock lock ? lock : null;
    }
  }

  private final class HeldLock implements LockedRange {
    private final FileLock lock;

    HeldLock(FileLock lock) {
      this.lock = lock;
    }

    @Override
    public long position() {
      return lock.position();
    }

    @Override
    public long size() {
      return lock.size();
    }

    @Override
    public boolean isShared() {
      return lock.isShared();
    }

    @Override
    public boolean isHeld() {
      return lock.isValid();
    }

    @Override
    public void close() {
      if (lock.isValid()) {
        release(CoroutineNode.current(), lock);
      }
    }

    @Override
    public String toString() {
      return "a lock of " + owner;
    }
  }
}
