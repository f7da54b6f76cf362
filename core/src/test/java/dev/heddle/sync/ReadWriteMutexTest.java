// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who gets a lock, who is refused it, and who waits for it. [ReadWriteMutexModelTest] goes on.
@Timeout(300)
class ReadWriteMutexTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();

  /// Reads for a millisecond.
  private Coroutine<?> reader(ReadWriteMutex lock, String name) {
    return started(
        name,
        () ->
            lock.<@Nullable Object>withReadLock(() -> {
              log.add(name + " in");
              Heddle.delay(Duration.ofMillis(1));
              log.add(name + " out");
              return null;
            }));
  }

  /// Writes for a millisecond.
  private Coroutine<?> writer(ReadWriteMutex lock, String name) {
    return started(
        name,
        () ->
            lock.<@Nullable Object>withWriteLock(() -> {
              log.add(name + " in");
              Heddle.delay(Duration.ofMillis(1));
              log.add(name + " out");
              return null;
            }));
  }

  private static Coroutine<?> started(String name, Runnable body) {
    Coroutine<?> coroutine = Heddle.spawn(name, body::run);
    Heddle.yieldNow();
    return coroutine;
  }

  // ---- who gets in ----

  @Test
  void readers_getInTogether_writersAlone() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      reader(lock, "r1");
      reader(lock, "r2");
      assertThat(lock.readers()).isEqualTo(2);
      assertThat(lock.tryLockWrite()).isFalse();
      Coroutine<?> writer = writer(lock, "w1");
      Coroutine<?> last = writer(lock, "w2");
      last.await();
      assertThat(writer.isDone()).isTrue();
    });
    assertThat(log)
        .containsExactly(
            "r1 in", "r2 in", "r1 out", "r2 out", "w1 in", "w1 out", "w2 in", "w2 out");
  }

  @Test
  @Tag("trap-3")
  void reader_behindAWaitingWriter_waits_soThatWritersDoNotStarve() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      reader(lock, "r1");
      writer(lock, "w");
      reader(lock, "r2");
      reader(lock, "r3");
      assertThat(lock.tryLockRead()).isFalse();
      assertThat(lock.waiting()).isEqualTo(3);
    });
    assertThat(log)
        .containsExactly("r1 in", "r1 out", "w in", "w out", "r2 in", "r3 in", "r2 out", "r3 out");
  }

  @Test
  void readers_donotKeepAWriterOut_howeverMany() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      int[] reads = new int[1];
      Heddle.scope(s -> {
        for (int i = 0; i < 3; i++) {
          s.launch(
              "reader",
              () -> {
                for (int round = 0; round < 100; round++) {
                  lock.<@Nullable Object>withReadLock(() -> {
                    reads[0]++;
                    Heddle.yieldNow();
                    return null;
                  });
                }
              });
        }
        Heddle.yieldNow();
        lock.lockWrite();
        assertThat(reads[0]).isLessThan(10);
        lock.unlockWrite();
        return null;
      });
      assertThat(reads[0]).isEqualTo(300);
    });
  }

  @Test
  void withoutOthers_nothingSwitches() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      long before = Heddle.counters().switches();
      lock.lockRead();
      lock.unlockRead();
      lock.lockWrite();
      assertThat(lock.writer()).isSameAs(Heddle.current());
      lock.unlockWrite();
      assertThat(lock.tryLockRead()).isTrue();
      lock.unlockRead();
      assertThat(lock.tryLockWrite()).isTrue();
      lock.unlockWrite();
      assertThat(lock.writer()).isNull();
      assertThat(Heddle.counters().switches()).isEqualTo(before);
    });
  }

  @Test
  @Tag("trap-2")
  void unlock_withAWaiter_leavesNothingForOthersToTake() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockWrite();
      Coroutine<?> waiter = writer(lock, "w");
      lock.unlockWrite();
      assertThat(lock.writer()).isSameAs(waiter);
      assertThat(lock.tryLockWrite()).isFalse();
      assertThat(lock.tryLockRead()).isFalse();
      lock.lockRead();
      assertThat(log).containsExactly("w in", "w out");
      lock.unlockRead();
    });
  }

  @Test
  void downgrade_letsReadersIn_andNoWriter() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockWrite();
      reader(lock, "r1");
      writer(lock, "w");
      reader(lock, "r2");
      lock.downgrade();
      assertThat(lock.readers()).isEqualTo(2);
      Heddle.delay(Duration.ofMillis(5));
      assertThat(log).containsExactly("r1 in", "r1 out");
      lock.unlockRead();
    });
    assertThat(log).containsExactly("r1 in", "r1 out", "w in", "w out", "r2 in", "r2 out");
  }

  // ---- misuse ----

  @Test
  void secondLock_byAHolder_isRefusedAndSaysWhy() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex("index");
      lock.lockRead();
      assertThatThrownBy(lock::lockRead)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("the read-write mutex 'index' already", "not reentrant");
      assertThatThrownBy(lock::lockWrite)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a reader cannot become a writer; unlock it first");
      assertThatThrownBy(lock::tryLockWrite).hasMessageContaining("cannot become a writer");
      assertThatThrownBy(lock::tryLockRead).hasMessageContaining("not reentrant");
      lock.unlockRead();
      lock.lockWrite();
      assertThatThrownBy(lock::lockRead).hasMessageContaining("not reentrant");
      assertThatThrownBy(lock::lockWrite).hasMessageContaining("not reentrant");
      lock.unlockWrite();
      assertThat(lock).hasToString("the read-write mutex 'index', not locked, 0 waiting");
    });
  }

  @Test
  void secondRead_behindAWaitingWriter_isRefused_andNoWaitWithoutEnd() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockRead();
      writer(lock, "w");
      assertThatThrownBy(lock::lockRead).hasMessageContaining("not reentrant");
      lock.unlockRead();
    });
    assertThat(log).containsExactly("w in", "w out");
  }

  @Test
  void unlock_byOthers_isRefusedAndNamesTheHolder() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex("index");
      assertThatThrownBy(lock::unlockRead).hasMessageContaining("not locked");
      assertThatThrownBy(lock::unlockWrite).hasMessageContaining("not locked");
      assertThatThrownBy(lock::downgrade).hasMessageContaining("does not hold it for writing");
      Coroutine<?> reader = reader(lock, "bookworm");
      assertThatThrownBy(lock::unlockRead)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("read by 1", "'bookworm'", "for reading");
      reader.await();
      writer(lock, "author");
      assertThatThrownBy(lock::unlockWrite)
          .hasMessageContainingAll("written by", "'author'", "for writing");
    });
    assertThat(log).endsWith("author out");
  }

  @Test
  void lock_ofOneWhoseHolderHasEnded_isRefusedAndNamesIt() {
    Heddle.run(() -> {
      ReadWriteMutex written = new ReadWriteMutex("index");
      Heddle.spawn("forgetful", written::tryLockWrite).await();
      assertThatThrownBy(written::lockRead)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("'index' was never unlocked by", "'forgetful'");
      ReadWriteMutex read = new ReadWriteMutex("index");
      Heddle.spawn("forgetful", read::tryLockRead).await();
      assertThatThrownBy(read::lockWrite).hasMessageContaining("was never unlocked by");
      assertThat(read.info()).contains("has ended without unlocking it");
    });
  }

  @Test
  void use_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex("index");
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(lock::lockRead).hasMessageContaining("belongs to another loop");
            assertThatThrownBy(lock::lockWrite).hasMessageContaining("belongs to another loop");
            assertThatThrownBy(lock::unlockRead).hasMessageContaining("belongs to another loop");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
    });
  }

  // ---- waits that end otherwise ----

  @Test
  void boundedWaits_leaveTheQueue() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      Coroutine<?> holder =
          started("holder", () -> lock.withWriteLock(() -> Heddle.await(Heddle.timer(LONG))));
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> lock.lockRead(soon)).isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> lock.lockWrite(soon)).isInstanceOf(DeadlineException.class);
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> lock.lockRead(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> lock.lockWrite(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(lock.waiting()).isZero();
      holder.cancel("enough");
      assertThatThrownBy(holder::await).isInstanceOf(Cancellation.class);
      lock.lockRead(soon); // it bounds only waits
      lock.unlockRead();
      lock.lockWrite(token.future());
      lock.unlockWrite();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  @Tag("trap-1")
  void waiter_handedTheLockAndCancelledBeforeItRuns_handsItOn() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockRead();
      Coroutine<?> writer = writer(lock, "w");
      Coroutine<?> first = reader(lock, "r1");
      reader(lock, "r2");
      lock.unlockRead();
      assertThat(lock.writer()).isSameAs(writer);
      writer.cancel("leave");
      assertThatThrownBy(writer::await).isInstanceOf(Cancellation.class);
      assertThat(lock.readers()).isEqualTo(2);
      assertThat(first.isDone()).isFalse();
    });
    assertThat(log).containsExactly("r1 in", "r2 in", "r1 out", "r2 out");
  }

  @Test
  @Tag("trap-1")
  void readers_handedTheLockAndOneCancelled_keepItTillTheOthersAreDone() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockWrite();
      Coroutine<?> first = reader(lock, "r1");
      reader(lock, "r2");
      writer(lock, "w");
      lock.unlockWrite();
      first.cancel("leave");
      Heddle.yieldNow();
      assertThat(lock.readers()).isEqualTo(1);
    });
    assertThat(log).containsExactly("r2 in", "r2 out", "w in", "w out");
  }

  @Test
  void waitingWriter_thatLeaves_letsTheReadersBehindItIn() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockRead();
      Coroutine<?> writer = writer(lock, "w");
      Coroutine<?> reader = reader(lock, "r");
      writer.cancel("leave");
      reader.await(); // beside the reader that still holds it
      lock.unlockRead();
    });
    assertThat(log).containsExactly("r in", "r out");
  }

  // ---- bodies ----

  @Test
  void bodies_returnTheirResultAndUnlockHoweverTheyEnd() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      assertThat(lock.<String>withReadLock(() -> "read")).isEqualTo("read");
      assertThat(lock.<String>withWriteLock(() -> "written")).isEqualTo("written");
      IOException checked = new IOException("checked");
      assertThatThrownBy(() ->
              lock.withWriteLock(() -> {
                throw checked;
              }))
          .isInstanceOf(CoroutineException.class)
          .hasCause(checked);
      assertThat(lock.tryLockWrite()).isTrue();
      lock.unlockWrite();
    });
  }

  @Test
  void withWriteLock_whoseBodyDowngrades_unlocksForReading() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.withWriteLock(() -> {
        lock.downgrade();
        assertThat(lock.readers()).isEqualTo(1);
      });
      assertThat(lock.readers()).isZero();
      assertThatThrownBy(() ->
              lock.withWriteLock(() -> {
                lock.downgrade();
                throw new IOException("body");
              }))
          .hasCauseInstanceOf(IOException.class);
      assertThat(lock.readers()).isZero();
      assertThat(lock.tryLockWrite()).isTrue();
    });
  }

  @Test
  void body_thatHasUnlocked_isTold() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex("index");
      assertThatThrownBy(() -> lock.withReadLock(lock::unlockRead))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'index'")
          .hasMessageEndingWith("it does not hold it for reading");
      assertThatThrownBy(() -> lock.withWriteLock(lock::unlockWrite))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageEndingWith("it does not hold it for writing");
      Throwable thrown =
          catchThrowable(() ->
              lock.withWriteLock(() -> {
                lock.unlockWrite();
                throw new IllegalArgumentException("body");
              }));
      assertThat(thrown).hasMessage("body");
      assertThat(Heddle.reportOf(thrown).merged())
          .singleElement()
          .isInstanceOf(IllegalStateException.class);
      assertThat(lock.tryLockWrite()).isTrue();
    });
  }

  @Test
  void bodies_boundedByDeadlineOrToken_doNotRun() {
    VirtualTime.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      Coroutine<?> holder = writer(lock, "holder");
      Deadline soon = Deadline.after(Duration.ofNanos(5));
      Promise<String> token = new Promise<>();
      Action action = () -> log.add("action");
      assertThatThrownBy(() -> lock.withReadLock(() -> log.add("body"), soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> lock.withReadLock(action, soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> lock.withWriteLock(() -> log.add("body"), soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> lock.withWriteLock(action, soon))
          .isInstanceOf(DeadlineException.class);
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> lock.withReadLock(() -> log.add("body"), token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> lock.withReadLock(action, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> lock.withWriteLock(() -> log.add("body"), token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> lock.withWriteLock(action, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      holder.await();
      assertThat(log).containsExactly("holder in", "holder out");
      assertThat(lock.<String>withReadLock(() -> "in time", soon)).isEqualTo("in time");
      lock.withWriteLock(action, token.future());
      assertThat(log).endsWith("action");
      assertThat(lock).hasToString("a read-write mutex, not locked, 0 waiting");
    });
  }

  // ---- what reports say ----

  @Test
  @Tag("T19")
  void circle_isADeadlockWhoseReportNamesLocksAndHolders() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              ReadWriteMutex left = new ReadWriteMutex("left");
              ReadWriteMutex right = new ReadWriteMutex("right");
              Heddle.launch(
                  "one",
                  () -> {
                    left.lockRead();
                    Heddle.yieldNow();
                    right.lockWrite();
                  });
              Heddle.launch(
                  "two",
                  () -> {
                    right.lockWrite();
                    Heddle.yieldNow();
                    left.lockWrite();
                  });
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageMatching(
            "(?s).*'one'.* waits for the read-write mutex 'right', being written, held by \\S+"
                + " 'two'.*")
        .hasMessageMatching(
            "(?s).*'two'.* waits for the read-write mutex 'left', being read, held by \\S+"
                + " 'one'.*");
  }

  @Test
  @Tag("trap-23")
  void unlock_whereTheStackEnds_wakesTheNext() {
    Heddle.run(() -> {
      ReadWriteMutex lock = new ReadWriteMutex();
      lock.lockWrite();
      Coroutine<?> next = started("next", () -> lock.withReadLock(() -> "in"));
      assertThat(StackEnd.runAt(lock::unlockWrite)).isTrue();
      next.await();
      assertThat(lock.readers()).isZero();
    });
  }
}
