// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A lock for the coroutines of one loop, which several readers or one writer hold.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=readWriteMutex}
///
/// Code between two suspension points is atomic on a loop and needs no lock. This one is for reads
/// that suspend in the middle and must not see a write half done.
///
/// It is not reentrant, and a reader cannot become a writer: two readers that wanted to would wait
/// for each other. A lock by a coroutine that holds it already is an error, not a wait without end.
/// A writer can become a reader, by [#downgrade()].
///
/// **Thread** the loop on which it was created. **Cancelled** nothing is left behind: a cancelled
/// waiter leaves the queue, and a coroutine that was handed the lock but is cancelled before it
/// runs hands it on. **Order** first come, first served, without barging: a reader that comes after
/// a waiting writer waits behind it, so neither readers nor writers starve. **Cost** without
/// contention: no switch, however often it is locked, so a coroutine that does nothing else lets no
/// other run.
///
/// @since 0.1
public final class ReadWriteMutex {
  /*
   * States.  from       event                           to         who
   *          free       a reader locks                  read by 1  the reader
   *          free       a writer locks                  written    the writer
   *          read by n  a reader locks, no waiter       n + 1      the reader
   *          read by n  a reader unlocks                n - 1      the reader; the last frees it
   *          written    the writer unlocks              free       the writer
   *          written    downgrade()                     read by 1  the writer
   *          free       oldest waiter is a writer       written    who freed it
   *          free       oldest waiters are readers      read by n  who freed it
   *          read by n  oldest waiters are readers      more       who downgraded or left the queue
   *
   * Readers and writers wait in one queue. The coroutine that frees the lock hands it to the oldest
   * waiter, and if that is a reader, also to the readers directly behind it. A coroutine that was
   * handed the lock and whose wait ends otherwise unlocks. WaitQueue has the states of a waiter.
   *
   * Threads. The loop's.
   *
   * I1. There is a writer, or readers, or neither.
   *     [ReadWriteMutexTest, ReadWriteMutexModelTest]
   * I2. While a coroutine waits, the oldest waiter is kept out by a holder.
   *     [ReadWriteMutexTest, ReadWriteMutexModelTest]
   * I3. The lock is handed out in the order of arrival.
   *     [ReadWriteMutexTest, ReadWriteMutexModelTest]
   *
   * Rejected. Preference for readers starves writers, and the reverse. A counter for reentrancy: a
   * reader that locks again behind a waiting writer would wait for itself.
   *
   * Sources. trap-1, trap-2, trap-3; Tokio's RwLock.
   */
  private enum Mode {
    READ,
    WRITE,
  }

  private record Request(CoroutineNode<?> by, Mode mode) {}

  private final Scheduler home;
  private final @Nullable String name;
  private final Waiters waiters = new Waiters();

  // loop only
  private final Set<CoroutineNode<?>> readers = new LinkedHashSet<>();
  private @Nullable CoroutineNode<?> writer;

  /// A free lock of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  public ReadWriteMutex() {
    this(CoroutineNode.current().scheduler(), null);
  }

  /// A free lock of the current loop, with a name for reports.
  ///
  /// @throws IllegalStateException outside a coroutine
  public ReadWriteMutex(String name) {
    this(CoroutineNode.current().scheduler(), name);
  }

  private ReadWriteMutex(Scheduler home, @Nullable String name) {
    this.home = home;
    this.name = name;
  }

  // ---- reading ----

  /// Locks it for reading, beside other readers. **Suspends** while a writer holds it, or another
  /// coroutine waits.
  ///
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled while it waits
  /// @throws IllegalStateException when the current coroutine already holds it, when a holder has
  ///   ended without unlocking it, or when it belongs to another loop
  public void lockRead() {
    lock(Mode.READ, Deadline.never(), null);
  }

  /// Locks it for reading, but waits no longer than a deadline. Otherwise as [#lockRead()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public void lockRead(Deadline deadline) {
    lock(Mode.READ, deadline, null);
  }

  /// Locks it for reading, but waits no longer than until `token` fires. Otherwise as
  /// [#lockRead()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void lockRead(Awaitable<?> token) {
    lock(Mode.READ, Deadline.never(), EventSource.of(token));
  }

  /// Locks it for reading if that needs no wait. **Suspends** never.
  ///
  /// @return whether the current coroutine has locked it
  /// @throws IllegalStateException as [#lockRead()]
  public boolean tryLockRead() {
    return tryLock(current(), Mode.READ);
  }

  /// Ends the reading. The last reader hands the lock to the oldest waiter. **Suspends** never.
  ///
  /// @throws IllegalStateException when the current coroutine does not hold it for reading
  public void unlockRead() {
    CoroutineNode<?> self = current();
    if (!readers.contains(self)) {
      throw cannotUnlock(self, "reading");
    }
    requireRoom();
    unlock(self, Mode.READ);
  }

  /// Runs `body` while the current coroutine holds the lock for reading, and unlocks it however the
  /// body ends. **Suspends** as [#lockRead()].
  ///
  /// @throws dev.heddle.CoroutineException when the body threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  /// @throws IllegalStateException as [#lockRead()], and when the body has unlocked it
  public <T extends @Nullable Object> T withReadLock(Body<T> body) {
    return with(Mode.READ, body, Deadline.never(), null);
  }

  /// Runs `body` while the current coroutine holds the lock for reading, but waits for that no
  /// longer than a deadline, which does not bound the body. Otherwise as [#withReadLock(Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public <T extends @Nullable Object> T withReadLock(Body<T> body, Deadline deadline) {
    return with(Mode.READ, body, deadline, null);
  }

  /// Runs `body` while the current coroutine holds the lock for reading, but waits for that no
  /// longer than until `token` fires, which does not bound the body. Otherwise as
  /// [#withReadLock(Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public <T extends @Nullable Object> T withReadLock(Body<T> body, Awaitable<?> token) {
    return with(Mode.READ, body, Deadline.never(), EventSource.of(token));
  }

  /// Runs an action while the current coroutine holds the lock for reading. Otherwise as
  /// [#withReadLock(Body)].
  public void withReadLock(Action action) {
    with(Mode.READ, Bodies.of(action), Deadline.never(), null);
  }

  /// Runs an action while the current coroutine holds the lock for reading. Otherwise as
  /// [#withReadLock(Body, Deadline)].
  public void withReadLock(Action action, Deadline deadline) {
    with(Mode.READ, Bodies.of(action), deadline, null);
  }

  /// Runs an action while the current coroutine holds the lock for reading. Otherwise as
  /// [#withReadLock(Body, Awaitable)].
  public void withReadLock(Action action, Awaitable<?> token) {
    with(Mode.READ, Bodies.of(action), Deadline.never(), EventSource.of(token));
  }

  // ---- writing ----

  /// Locks it for writing, alone. **Suspends** while another coroutine holds it.
  ///
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled while it waits
  /// @throws IllegalStateException when the current coroutine already holds it, also for reading,
  ///   when a holder has ended without unlocking it, or when it belongs to another loop
  public void lockWrite() {
    lock(Mode.WRITE, Deadline.never(), null);
  }

  /// Locks it for writing, but waits no longer than a deadline. Otherwise as [#lockWrite()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public void lockWrite(Deadline deadline) {
    lock(Mode.WRITE, deadline, null);
  }

  /// Locks it for writing, but waits no longer than until `token` fires. Otherwise as
  /// [#lockWrite()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void lockWrite(Awaitable<?> token) {
    lock(Mode.WRITE, Deadline.never(), EventSource.of(token));
  }

  /// Locks it for writing if that needs no wait. **Suspends** never.
  ///
  /// @return whether the current coroutine has locked it
  /// @throws IllegalStateException as [#lockWrite()]
  public boolean tryLockWrite() {
    return tryLock(current(), Mode.WRITE);
  }

  /// Ends the writing, and hands the lock to the oldest waiter. **Suspends** never.
  ///
  /// @throws IllegalStateException when the current coroutine does not hold it for writing
  public void unlockWrite() {
    CoroutineNode<?> self = current();
    if (writer != self) {
      throw cannotUnlock(self, "writing");
    }
    requireRoom();
    unlock(self, Mode.WRITE);
  }

  /// Runs `body` while the current coroutine holds the lock for writing, and unlocks it however the
  /// body ends. **Suspends** as [#lockWrite()]. The body may [downgrade][#downgrade()]; the end
  /// then unlocks it for reading.
  ///
  /// @throws dev.heddle.CoroutineException when the body threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  /// @throws IllegalStateException as [#lockWrite()], and when the body has unlocked it
  public <T extends @Nullable Object> T withWriteLock(Body<T> body) {
    return with(Mode.WRITE, body, Deadline.never(), null);
  }

  /// Runs `body` while the current coroutine holds the lock for writing, but waits for that no
  /// longer than a deadline, which does not bound the body. Otherwise as [#withWriteLock(Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public <T extends @Nullable Object> T withWriteLock(Body<T> body, Deadline deadline) {
    return with(Mode.WRITE, body, deadline, null);
  }

  /// Runs `body` while the current coroutine holds the lock for writing, but waits for that no
  /// longer than until `token` fires, which does not bound the body. Otherwise as
  /// [#withWriteLock(Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public <T extends @Nullable Object> T withWriteLock(Body<T> body, Awaitable<?> token) {
    return with(Mode.WRITE, body, Deadline.never(), EventSource.of(token));
  }

  /// Runs an action while the current coroutine holds the lock for writing. Otherwise as
  /// [#withWriteLock(Body)].
  public void withWriteLock(Action action) {
    with(Mode.WRITE, Bodies.of(action), Deadline.never(), null);
  }

  /// Runs an action while the current coroutine holds the lock for writing. Otherwise as
  /// [#withWriteLock(Body, Deadline)].
  public void withWriteLock(Action action, Deadline deadline) {
    with(Mode.WRITE, Bodies.of(action), deadline, null);
  }

  /// Runs an action while the current coroutine holds the lock for writing. Otherwise as
  /// [#withWriteLock(Body, Awaitable)].
  public void withWriteLock(Action action, Awaitable<?> token) {
    with(Mode.WRITE, Bodies.of(action), Deadline.never(), EventSource.of(token));
  }

  /// Makes the writer a reader, with no other writer in between, and lets in the readers that wait
  /// next. **Suspends** never. To be ended by [#unlockRead()], or by the end of [#withWriteLock].
  ///
  /// @throws IllegalStateException when the current coroutine does not hold it for writing
  public void downgrade() {
    CoroutineNode<?> self = current();
    if (writer != self) {
      throw new IllegalStateException(
          self.describe() + " cannot downgrade " + info() + "; it does not hold it for writing");
    }
    requireRoom();
    readers.add(self); // first: it may be out of memory
    writer = null;
    handOut();
  }

  // ---- both ----

  private void lock(Mode mode, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    if (tryLock(self, mode)) {
      return;
    }
    Waiter waiter = new Waiter(waiters, home, new Request(self, mode));
    try {
      waiters.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(waiter, self, mode);
      throw e;
    }
  }

  private boolean tryLock(CoroutineNode<?> self, Mode mode) {
    if (waiters.peek() == null && isFreeFor(mode)) {
      hold(self, mode);
      return true;
    }
    checkNotEndless(self, mode);
    return false;
  }

  // a reader that holds it already is refused by checkNotEndless()
  private boolean isFreeFor(Mode mode) {
    return writer == null && (mode == Mode.READ || readers.isEmpty());
  }

  private void hold(CoroutineNode<?> self, Mode mode) {
    if (mode == Mode.WRITE) {
      writer = self;
    } else if (!readers.add(self)) {
      throw holdsAlready(self, mode);
    }
  }

  private void checkNotEndless(CoroutineNode<?> self, Mode mode) {
    if (writer == self || readers.contains(self)) {
      throw holdsAlready(self, mode);
    }
    for (CoroutineNode<?> holder : holders()) {
      if (holder.isDone()) {
        throw new IllegalStateException(
            describe()
                + " was never unlocked by "
                + holder.describe()
                + "; unlock it in `finally`");
      }
    }
  }

  private IllegalStateException holdsAlready(CoroutineNode<?> self, Mode mode) {
    boolean upgrade = mode == Mode.WRITE && writer == null;
    return new IllegalStateException(
        self.describe()
            + " holds "
            + describe()
            + " already, and "
            + (upgrade
                ? "a reader cannot become a writer; unlock it first, then lock it for writing"
                : "it is not reentrant; lock it once, and pass what it guards down"));
  }

  private void leave(Waiter waiter, CoroutineNode<?> self, Mode mode) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    if (waiter.isServed()) {
      unlock(self, mode);
    } else {
      waiters.remove(waiter);
      handOut(); // readers behind a writer that leaves
    }
  }

  private void unlock(CoroutineNode<?> self, Mode mode) {
    if (mode == Mode.WRITE) {
      writer = null;
    } else {
      readers.remove(self);
    }
    handOut();
  }

  private void handOut() {
    Waiter oldest = waiters.peek();
    while (oldest != null
        && oldest.item() instanceof Request request
        && isFreeFor(request.mode())) {
      hold(request.by(), request.mode());
      waiters.remove(oldest);
      oldest.serve(null, 0);
      oldest = waiters.peek();
    }
  }

  // an overflow half-way would leave a holder that never wakes
  private void requireRoom() {
    if (waiters.size() > 0) {
      StackGuard.requireRoom();
    }
  }

  private <T extends @Nullable Object> T with(
      Mode mode, Body<T> body, Deadline deadline, @Nullable EventSource token) {
    // checked here, because unlocking must not overflow the stack; it needs no more than this
    StackGuard.requireRoom();
    CoroutineNode<?> self = current();
    lock(mode, deadline, token);
    T result;
    try {
      result = Bodies.run(body);
    } catch (Throwable e) {
      RuntimeException unlocked = unlockAfter(self, mode);
      if (unlocked != null) {
        FailureTable.merge(e, unlocked);
      }
      throw e;
    }
    RuntimeException unlocked = unlockAfter(self, mode);
    if (unlocked != null) {
      throw unlocked;
    }
    return result;
  }

  // a writer may have become a reader; null: it was unlocked here, not by the body
  private @Nullable RuntimeException unlockAfter(CoroutineNode<?> self, Mode mode) {
    if (home.hasEnded()) {
      return null; // the loop has abandoned this coroutine
    }
    boolean writes = mode == Mode.WRITE && writer == self;
    if (!writes && !readers.contains(self)) {
      return cannotUnlock(self, mode == Mode.WRITE ? "writing" : "reading");
    }
    unlock(self, writes ? Mode.WRITE : Mode.READ);
    return null;
  }

  private IllegalStateException cannotUnlock(CoroutineNode<?> self, String what) {
    return new IllegalStateException(
        self.describe() + " cannot unlock " + info() + "; it does not hold it for " + what);
  }

  // ---- views ----

  /// The coroutine that holds it for writing, or null.
  public @Nullable Coroutine<?> writer() {
    return writer;
  }

  /// The number of coroutines that hold it for reading.
  public int readers() {
    return readers.size();
  }

  /// The number of coroutines that wait.
  public int waiting() {
    return waiters.size();
  }

  /// One line for reports: name, holders, number of waiters.
  public String info() {
    CoroutineNode<?> writing = writer;
    String held =
        writing != null
            ? "written by " + writing.describe() + ended(writing)
            : readers.isEmpty() ? "not locked" : "read by " + readers.size() + readersInWords();
    return describe() + ", " + held + ", " + waiting() + " waiting";
  }

  private String readersInWords() {
    CoroutineNode<?> first = readers.iterator().next();
    return readers.size() == 1
        ? ": " + first.describe() + ended(first)
        : ", first by " + first.describe() + ended(first);
  }

  private static String ended(CoroutineNode<?> holder) {
    return holder.isDone() ? " (which has ended without unlocking it)" : "";
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a read-write mutex" : "the read-write mutex '" + name + "'";
  }

  private Collection<CoroutineNode<?>> holders() {
    CoroutineNode<?> writing = writer;
    return writing == null ? List.copyOf(readers) : List.of(writing);
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; make one on each loop that needs it");
    }
    return self;
  }

  private final class Waiters extends WaitQueue {
    // the report names the holders by holders()
    @Override
    protected String info() {
      return describe() + (writer == null ? ", being read" : ", being written");
    }

    @Override
    protected Collection<? extends Awaitable<?>> holders() {
      return ReadWriteMutex.this.holders();
    }
  }
}
