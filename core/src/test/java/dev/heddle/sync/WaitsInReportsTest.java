// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.TaskGroup;
import dev.heddle.thread.ThreadChannel;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// How dumps and deadlock reports name what coroutines wait for: the object with its name and its
/// numbers, how many wait, and the coroutines that hold it, as far as it has holders.
@Timeout(300)
class WaitsInReportsTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final String MAIN = "held by coroutine-1";

  /// A wait for an object.
  ///
  /// @param prepare makes the object, as the main coroutine, and returns the wait of another one
  /// @param says what reports say of the wait
  record Case(String name, Body<Action> prepare, String says) {
    @Override
    public String toString() {
      return name;
    }
  }

  /// Waits that only coroutines of the loop can end.
  static Stream<Case> ofTheLoop() {
    return Stream.concat(locks(), exchanges());
  }

  static Stream<Case> all() {
    return Stream.concat(ofTheLoop(), ofTheOutside());
  }

  private static Stream<Case> locks() {
    return Stream.of(
        new Case(
            "Mutex",
            () -> {
              Mutex mutex = new Mutex("ledger");
              mutex.lock();
              return mutex::lock;
            },
            "the mutex 'ledger', " + MAIN),
        new Case(
            "ReadWriteMutex, written",
            () -> {
              ReadWriteMutex mutex = new ReadWriteMutex("index");
              mutex.lockWrite();
              return mutex::lockRead;
            },
            "the read-write mutex 'index', being written, " + MAIN),
        new Case(
            "ReadWriteMutex, read",
            () -> {
              ReadWriteMutex mutex = new ReadWriteMutex("index");
              mutex.lockRead();
              return mutex::lockWrite;
            },
            "the read-write mutex 'index', being read, " + MAIN),
        new Case(
            "Semaphore",
            () -> {
              Semaphore semaphore = new Semaphore("slots", 2);
              semaphore.release();
              semaphore.acquire(3);
              return semaphore::acquire;
            },
            "permits of the semaphore 'slots' with 0 of 3 free, 1 waiting"),
        new Case(
            "Pool",
            () -> {
              Pool<String> pool =
                  Pool.open(PoolOptions.of(() -> "one").withName("items").withSize(0, 1));
              var _ = pool.acquire();
              return pool::acquire;
            },
            "a resource of the pool 'items', which has lent 1 of at most 1, " + MAIN),
        new Case(
            "Select",
            () -> {
              Mutex mutex = new Mutex("ledger");
              mutex.lock();
              Channel<String> channel = Channel.of("orders", 8);
              return () ->
                  Select.<String>create()
                      .onReceive(channel, item -> item)
                      .onLock(mutex, () -> "locked")
                      .await();
            },
            "1 receiving, or the mutex 'ledger', " + MAIN));
  }

  private static Stream<Case> exchanges() {
    return Stream.of(
        new Case(
            "Channel, receiver",
            () -> Channel.<String>of("orders", 8)::receive,
            "an item from the channel 'orders' with 0 of 8 items, 0 sending, 1 receiving"),
        new Case(
            "Channel, sender",
            () -> {
              Channel<String> channel = Channel.of("orders", 1);
              channel.send("first");
              return () -> channel.send("second");
            },
            "room in the channel 'orders' with 1 of 1 item, 1 sending, 0 receiving"),
        new Case(
            "Broadcast, reader",
            () -> Broadcast.<String>of("prices", 4, Broadcast.Overflow.LAG).subscribe()::receive,
            "an item of the broadcast 'prices' with 0 of 4 items for 1 reader, 0 sending, 1"),
        new Case(
            "Broadcast, sender",
            () -> {
              Broadcast<String> broadcast = Broadcast.of("prices", 1, Broadcast.Overflow.SUSPEND);
              var _ = broadcast.subscribe();
              broadcast.send("first");
              return () -> broadcast.send("second");
            },
            "room in the broadcast 'prices' with 1 of 1 item for 1 reader, 1 sending, 0"),
        new Case(
            "Latest",
            () -> Latest.of("config", "first").changes()::next,
            "a change of the latest value 'config' of version 0, 1 waiting"),
        new Case(
            "CountDown",
            () -> new CountDown("warm-up", 2)::await,
            "zero of the count-down 'warm-up' with 2 to go, 1 waiting"),
        new Case(
            "TaskGroup, joiner",
            () -> busyGroup()::joinNext,
            "the end of a task of the task group 'jobs' with 1 of 1 running"),
        new Case(
            "TaskGroup, spawner",
            () -> {
              TaskGroup<String> group = busyGroup();
              return () -> group.spawn(() -> "next");
            },
            "a slot of the task group 'jobs' with 1 of 1 running, 0 ended, 1 waiting"));
  }

  private static TaskGroup<String> busyGroup() {
    TaskGroup<String> group = new TaskGroup<>("jobs", 1);
    var _ = group.spawn(() -> Channel.<String>of(0).receive());
    return group;
  }

  /// Waits that a thread or a timer may end, so that they are no deadlock.
  private static Stream<Case> ofTheOutside() {
    return Stream.of(
        new Case(
            "RateLimiter",
            () -> {
              RateLimiter limiter = RateLimiter.of("calls", 1, LONG);
              limiter.acquire();
              return limiter::acquire;
            },
            "permits of the rate limiter 'calls' of 1 in PT1H, 1 waiting"),
        new Case(
            "ThreadChannel, receiver",
            () -> ThreadChannel.<String>of("bridge", 2)::receive,
            "an item from the thread channel 'bridge' with 0 of 2 items, 0 sending, 1 receiving"),
        new Case(
            "ThreadChannel, sender",
            () -> {
              ThreadChannel<String> channel = ThreadChannel.of("bridge", 1);
              channel.send("first");
              return () -> channel.send("second");
            },
            "room in the thread channel 'bridge' with 1 of 1 item, 1 sending, 0 receiving"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void dump_namesObjectNumbersAndHolders(Case wait) {
    String dump =
        Heddle.run(() ->
            Heddle.scope(s -> {
              Action action = wait.prepare().run();
              s.launch("waiter", action);
              Heddle.yieldNow();
              Heddle.yieldNow();
              String text = Heddle.dump().text();
              s.cancel("seen");
              return text;
            }));
    assertThat(dump).contains("'waiter' waits for ").contains(wait.says());
  }

  @ParameterizedTest
  @MethodSource("ofTheLoop")
  void deadlock_isReportedWithObjectNumbersAndHolders(Case wait) {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Action action = wait.prepare().run();
              Coroutine<?> waiter = Heddle.spawn("waiter", action);
              Heddle.await(waiter);
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("'waiter' waits for ")
        .hasMessageContaining(wait.says());
  }
}
