// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.IntStream;

/// The JDK's locks: reentrant, for reading and writing, stamped.
final class Locks {
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();
  private final StampedLock stamped = new StampedLock();

  private static Helper whileLocked(Crew crew, Lock lock, CountDownLatch release) throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    Helper holder =
        crew.start(() -> {
          lock.lock();
          try {
            locked.countDown();
            release.await();
          } finally {
            lock.unlock();
          }
        });
    locked.await();
    return holder;
  }

  @Together
  void lock_overAYield_letsInOneAtATime(Crew crew) throws Exception {
    for (Lock each : List.of(lock, readWrite.writeLock(), stamped.asWriteLock())) {
      int[] count = {0};
      List<Helper> helpers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        helpers.add(crew.start(() -> addTen(each, count)));
      }
      for (Helper helper : helpers) {
        helper.join();
      }
      assertThat(count[0]).isEqualTo(80);
    }
  }

  private static void addTen(Lock lock, int[] count) throws Exception {
    for (int j = 0; j < 10; j++) {
      lock.lock();
      try {
        int before = count[0];
        Crew.yieldToOthers();
        count[0] = before + 1;
      } finally {
        lock.unlock();
      }
    }
  }

  @Together
  void lock_inItself_countsItsHolds(Crew crew) throws Exception {
    lock.lock();
    lock.lock();
    assertThat(lock.getHoldCount()).isEqualTo(2);
    lock.unlock();
    crew.start(() -> assertThat(lock.tryLock()).isFalse()).join();
    lock.unlock();
    assertThat(lock.isLocked()).isFalse();
    crew.start(
            () -> {
              assertThat(lock.tryLock()).isTrue();
              lock.unlock();
            })
        .join();
  }

  @Together
  void unlock_byAnother_isRefused(Crew crew) throws Exception {
    lock.lock();
    try {
      crew.start(() ->
              assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class))
          .join();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
    } finally {
      lock.unlock();
    }
  }

  @Together
  void fairLock_wanted_goesToTheOneThatHasWaitedLongest(Crew crew) throws Exception {
    ReentrantLock fair = new ReentrantLock(true);
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Helper> helpers = new ArrayList<>();
    fair.lock();
    for (int i = 0; i < 5; i++) {
      int number = i;
      helpers.add(
          crew.start(() -> {
            fair.lock();
            try {
              order.add(number);
            } finally {
              fair.unlock();
            }
          }));
      Crew.until(() -> fair.getQueueLength() == number + 1);
    }
    fair.unlock();
    for (Helper helper : helpers) {
      helper.join();
    }
    assertThat(order).containsExactlyElementsOf(IntStream.range(0, 5).boxed().toList());
  }

  @Together
  void queue_ofALock_namesWhoWaits(Crew crew) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Helper holder = whileLocked(crew, lock, release);
    Helper waiter = whileLockedLater(crew);
    Crew.until(() -> lock.hasQueuedThread(waiter.thread()));
    assertThat(lock.hasQueuedThreads()).isTrue();
    assertThat(lock.hasQueuedThread(Thread.currentThread())).isFalse();
    release.countDown();
    holder.join();
    waiter.join();
    assertThat(lock.hasQueuedThreads()).isFalse();
  }

  private Helper whileLockedLater(Crew crew) {
    return crew.start(() -> {
      lock.lock();
      lock.unlock();
    });
  }

  @Together
  void lockInterruptibly_thatIsInterrupted_throwsAndLeavesTheQueue(Crew crew) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    for (Lock each : List.of(lock, readWrite.writeLock(), stamped.asWriteLock())) {
      Helper holder = whileLocked(crew, each, release);
      Helper waiter =
          crew.start(() ->
              assertThatThrownBy(each::lockInterruptibly).isInstanceOf(InterruptedException.class));
      waiter.interruptInWait();
      waiter.join();
      assertThat(holder.isEnded()).isFalse();
    }
    assertThat(lock.hasQueuedThreads()).isFalse();
    release.countDown();
  }

  @Together
  void lock_thatIsInterrupted_goesOnWaitingAndKeepsTheFlag(Crew crew) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Helper holder = whileLocked(crew, lock, release);
    AtomicBoolean locked = new AtomicBoolean();
    Helper waiter =
        crew.start(() -> {
          lock.lock();
          locked.set(true);
          lock.unlock();
          assertThat(Thread.interrupted()).isTrue();
        });
    waiter.interruptInWait();
    Crew.letOthersRun();
    assertThat(locked).isFalse();
    release.countDown();
    holder.join();
    waiter.join();
  }

  @Together
  void tryLock_withALimit_saysNoOnceItHasPassed(Crew crew) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Helper holder = whileLocked(crew, lock, release);
    long begin = System.nanoTime();
    assertThat(lock.tryLock(2, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
    Helper patient =
        crew.start(() -> {
          assertThat(lock.tryLock(1, TimeUnit.DAYS)).isTrue();
          lock.unlock();
        });
    patient.awaitWait();
    release.countDown();
    holder.join();
    patient.join();
  }

  @Together
  void readers_areInsideTogether(Crew crew) throws Exception {
    for (Lock each : List.of(readWrite.readLock(), stamped.asReadLock())) {
      CountDownLatch inside = new CountDownLatch(5);
      List<Helper> readers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        readers.add(
            crew.start(() -> {
              each.lock();
              try {
                inside.countDown();
                inside.await(); // until all five are
              } finally {
                each.unlock();
              }
            }));
      }
      for (Helper reader : readers) {
        reader.join();
      }
    }
  }

  @Together
  void writer_waitsForReaders_andLaterReadersForIt(Crew crew) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    ReentrantReadWriteLock fair = new ReentrantReadWriteLock(true);
    Helper reader = whileLocked(crew, fair.readLock(), release);
    Helper writer = inside(crew, fair.writeLock(), order, "writer");
    Crew.until(() -> fair.getQueueLength() == 1);
    Helper later = inside(crew, fair.readLock(), order, "reader");
    Crew.until(() -> fair.getQueueLength() == 2);
    assertThat(order).isEmpty();
    release.countDown();
    reader.join();
    writer.join();
    later.join();
    assertThat(order).containsExactly("writer", "reader");
  }

  private static Helper inside(Crew crew, Lock lock, List<String> order, String name) {
    return crew.start(() -> {
      lock.lock();
      order.add(name);
      lock.unlock();
    });
  }

  @Together
  void writer_becomesReader_withoutLettingAnotherWriterIn(Crew crew) throws Exception {
    readWrite.writeLock().lock();
    readWrite.readLock().lock();
    readWrite.writeLock().unlock();
    crew.start(() -> assertThat(readWrite.writeLock().tryLock()).isFalse()).join();
    crew.start(
            () -> {
              assertThat(readWrite.readLock().tryLock()).isTrue();
              readWrite.readLock().unlock();
            })
        .join();
    readWrite.readLock().unlock();
    assertThat(readWrite.getReadLockCount()).isZero();
  }

  @Together
  void optimisticRead_overAWrite_isInvalid(Crew crew) throws Exception {
    long stamp = stamped.tryOptimisticRead();
    assertThat(stamped.validate(stamp)).isTrue();
    crew.start(() -> stamped.unlockWrite(stamped.writeLock())).join();
    assertThat(stamped.validate(stamp)).isFalse();
    long read = stamped.readLock();
    long write = stamped.tryConvertToWriteLock(read);
    assertThat(write).isNotZero();
    stamped.unlock(write);
  }

  @Together
  void stampedRead_duringAWrite_waitsAndCanBeInterrupted(Crew crew) throws Exception {
    long write = stamped.writeLock();
    Helper waiting = crew.start(() -> stamped.unlockRead(stamped.readLock())).awaitWait();
    Helper interrupted =
        crew.start(() ->
            assertThatThrownBy(stamped::readLockInterruptibly)
                .isInstanceOf(InterruptedException.class));
    interrupted.interruptInWait();
    interrupted.join();
    assertThat(waiting.isEnded()).isFalse();
    stamped.unlockWrite(write); // by stamp: a stamped lock has no owner
    waiting.join();
  }

  @Together
  void stampedLock_isUnlockedByAnother(Crew crew) throws Exception {
    long write = stamped.writeLock();
    crew.start(() -> stamped.unlockWrite(write)).join();
    assertThat(stamped.isWriteLocked()).isFalse();
  }
}
