// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.Broadcast.Overflow;
import dev.heddle.sync.Broadcast.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A random program of coroutines that select among receives, sends, reads of a broadcast, a lock,
/// a permit, a promise and a timer, beside others that send, receive and lock: with tokens,
/// deadlines, cancellations, a close and a shutdown at any step. It runs in virtual time, so that a
/// seed repeats it. Each item has a number, so that a ledger can say where it is.
final class SelectProgram {
  private static final int WORKERS = 5;
  private static final int STEPS = 8;

  enum Kind {
    RECEIVE,
    SEND,
    READ,
    LOCK,
    PERMIT,
    PROMISE,
    TIMER,
    OTHERWISE
  }

  /// What many programs have met. Else they would prove nothing.
  static final class Met {
    final Map<Kind, Integer> performed = new EnumMap<>(Kind.class);
    int handedOn; // given to a select whose wait then ended otherwise
    int sentThoughEnded;
    int endedOtherwise;
    int stuck;
    int stopped;
    int lost;
  }

  private static final class Worker {
    final Subscription<Integer> reader;
    @Nullable Coroutine<?> coroutine;
    int expected; // the next item of the broadcast
    boolean cancelled;

    // of the wait it is in
    boolean waits;
    boolean over; // it has been cancelled meanwhile, or its token has fired
    boolean bounded;
    boolean given; // an item, so it receives that, unless its wait ends otherwise
    boolean taken; // its item was received, so its send must succeed
    @Nullable Promise<String> token;
    final Set<Channel<Integer>> receivesFrom = new HashSet<>();
    final Set<Channel<Integer>> sendsTo = new HashSet<>();

    Worker(Subscription<Integer> reader) {
      this.reader = reader;
    }

    void begins() {
      waits = true;
      over = false;
      bounded = false;
      given = false;
      taken = false;
      token = null;
    }

    void ends() {
      waits = false;
      receivesFrom.clear();
      sendsTo.clear();
    }

    boolean isDone() {
      return coroutine != null && coroutine.isDone();
    }
  }

  /// What one select does.
  private static final class Choice {
    final List<Integer> offered = new ArrayList<>();
    final List<Integer> sent = new ArrayList<>();
    int ran; // branches
    boolean reads;

    Kind performed(Kind kind) {
      ran++;
      return kind;
    }
  }

  private final long seed;
  private final Random random;
  private final Met met;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Channel<Integer>> channels = new ArrayList<>();
  private final List<Promise<String>> promises = new ArrayList<>(); // the last one is current
  private final List<Integer> received = new ArrayList<>();
  private final Set<Integer> sent = new HashSet<>();
  private final Set<Integer> refused = new HashSet<>();
  private Consumer<Duration> pause = _ -> {};
  private int numbers;
  private int broadcasted;
  private int inside; // the mutex
  private int permitted;
  private int progress; // steps of workers
  private boolean stopped;
  private boolean verified;
  private @Nullable Throwable broken; // of a worker: its supervised scope only reports it

  SelectProgram(long seed, Met met) {
    this.seed = seed;
    this.random = new Random(seed);
    this.met = met;
  }

  void run() {
    try {
      VirtualTime.runWithPauses(p -> {
        pause = p;
        play(new Mutex(), new Semaphore(1), Broadcast.of(2, Overflow.LAG));
      });
      throwIfBroken();
    } catch (Cancellation c) {
      // of the shutdown; it may come to the main coroutine when all is verified
      if (!stopped || !verified) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", c);
      }
    } catch (Throwable e) {
      throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
    }
  }

  private void throwIfBroken() {
    if (broken != null) {
      throw new AssertionError("in a worker", broken);
    }
  }

  private static void expect(boolean holds, String what, Object found) {
    if (!holds) {
      throw new AssertionError(what + ": " + found);
    }
  }

  // ---- the course ----

  private void play(Mutex mutex, Semaphore semaphore, Broadcast<Integer> broadcast) {
    promises.add(fresh());
    for (int capacity = 0; capacity < 3; capacity++) {
      channels.add(Channel.of(capacity));
    }
    try {
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker(broadcast.subscribe());
          workers.add(worker);
          worker.coroutine =
              s.spawn(() -> {
                live(worker, mutex, semaphore, broadcast);
                return worker;
              });
        }
        drive(mutex, semaphore, broadcast);
        return null;
      });
    } catch (Cancellation c) {
      if (!stopped) {
        throw c;
      }
      met.stopped++;
    }
    throwIfBroken();
    expect(allDone(), "workers have not ended", workers.size());
    checkNothingStays(mutex, semaphore, broadcast);
    verify();
    verified = true;
  }

  private static Promise<String> fresh() {
    Promise<String> fresh = new Promise<>();
    fresh.future().ignore();
    return fresh;
  }

  private boolean allDone() {
    return workers.stream().allMatch(Worker::isDone);
  }

  private boolean allWait() {
    return !allDone() && workers.stream().allMatch(w -> w.isDone() || w.waits);
  }

  private void settle(int rounds) {
    for (int i = 0; i < rounds && !allDone(); i++) {
      Heddle.yieldNow();
    }
  }

  private void drive(Mutex mutex, Semaphore semaphore, Broadcast<Integer> broadcast) {
    while (!allDone()) {
      Heddle.yieldNow();
      throwIfBroken();
      if (allWait()) {
        int before = progress;
        Heddle.delay(Duration.ofMillis(1)); // deadlines and timers run out
        settle(5);
        if (allWait() && progress == before) { // nothing may be mended before it was checked
          check();
          expect(!mutex.isLocked(), "locked", mutex);
          expect(
              semaphore.waiting() == 0 || semaphore.availablePermits() == 0, "permits", semaphore);
          met.stuck++;
          endWaits(broadcast);
        }
      }
    }
  }

  private void endWaits(Broadcast<Integer> broadcast) {
    channels.forEach(Channel::close);
    broadcast.close();
    complete();
    for (int i = 0; i < 10 * STEPS && !allDone(); i++) {
      complete();
      Heddle.delay(Duration.ofNanos(10));
    }
    throwIfBroken();
    expect(allDone(), "a waiter is forgotten", channels);
  }

  private void live(Worker self, Mutex mutex, Semaphore semaphore, Broadcast<Integer> broadcast) {
    for (int step = 0; step < STEPS; step++) {
      progress++;
      self.begins();
      try {
        act(self, mutex, semaphore, broadcast);
        self.ends();
        check();
      } catch (ChannelClosedException e) {
        boolean any = channels.stream().anyMatch(Channel::isClosed) || broadcast.isClosed();
        note(any, e);
        self.ends();
        Heddle.yieldNow();
      } catch (EventsLostException e) {
        self.expected += (int) e.count();
        met.lost++;
      } catch (WaitCancelledException e) {
        note(self.over, e);
      } catch (DeadlineException e) {
        note(self.bounded, e);
      } catch (Cancellation e) {
        note(self.cancelled || stopped, e);
        throw e;
      } catch (Throwable e) {
        note(false, e);
      } finally {
        self.ends();
      }
    }
  }

  private void note(boolean expected, Throwable thrown) {
    if (!expected && broken == null) {
      broken = thrown;
    }
  }

  private void act(Worker self, Mutex mutex, Semaphore semaphore, Broadcast<Integer> broadcast) {
    switch (random.nextInt(20)) {
      case 0 -> send(self, any(channels));
      case 1 -> receive(self, any(channels));
      case 2 -> hold(mutex);
      case 3 -> endOtherwise(any(workers));
      case 4 -> complete();
      case 5 -> yieldNow(self);
      case 6 -> pause.accept(Duration.ofNanos(random.nextInt(4)));
      case 7, 8 -> {
        if (broadcast.trySend(broadcasted)) {
          broadcasted++;
        }
      }
      case 9, 10, 11 -> openWindow(any(channels));
      case 12 -> actSeldom(self);
      default -> select(self, mutex, semaphore);
    }
  }

  private void yieldNow(Worker self) {
    self.waits = false;
    Heddle.yieldNow();
  }

  private void actSeldom(Worker self) {
    switch (random.nextInt(8)) {
      case 0 -> any(channels).close();
      case 1 -> {
        stopped = true;
        Heddle.shutdown(Duration.ofHours(1));
      }
      default -> yieldNow(self);
    }
  }

  private <E> E any(List<E> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void complete() {
    if (promises.getLast().tryComplete("done") && random.nextInt(4) > 0) {
      promises.add(fresh());
    }
  }

  // ---- operations ----

  private void send(Worker self, Channel<Integer> channel) {
    int item = numbers++;
    self.sendsTo.add(channel);
    try {
      channel.send(item);
      sent.add(item);
    } catch (Throwable e) {
      refused.add(item);
      expect(!self.taken, "its item was received, and send() threw", e);
      throw e;
    }
  }

  private void receive(Worker self, Channel<Integer> channel) {
    self.receivesFrom.add(channel);
    received.add(channel.receive());
  }

  private void hold(Mutex mutex) {
    mutex.lock();
    release(mutex);
  }

  private void release(Mutex mutex) {
    expect(++inside == 1, "inside", inside);
    try {
      Heddle.yieldNow();
    } finally {
      inside--;
      mutex.unlock();
    }
  }

  private void release(Semaphore semaphore) {
    expect(++permitted == 1, "permitted", permitted);
    try {
      Heddle.yieldNow();
    } finally {
      permitted--;
      semaphore.release();
    }
  }

  /// Cancels a worker, or fires the token of its wait.
  private void endOtherwise(Worker one) {
    if (one.coroutine == null) {
      return;
    }
    if (one.token != null && random.nextBoolean()) {
      var _ = one.token.tryComplete("enough");
      one.over = true;
    } else if (random.nextInt(2) == 0) {
      one.cancelled = true;
      one.over = true;
      one.coroutine.cancel("by the program");
    }
  }

  /// Serves a waiter, if there is only one, and ends its wait otherwise before it runs.
  private void openWindow(Channel<Integer> channel) {
    if (channel.isClosed()) {
      return;
    }
    if (channel.hasReceiver()) {
      Worker only = only(workers.stream().filter(w -> w.receivesFrom.contains(channel)).toList());
      int item = numbers++;
      expect(channel.trySend(item), "a receiver waits", channel);
      sent.add(item);
      if (only != null) {
        only.given = true;
        endOtherwise(only);
      }
    } else if (channel.hasSender()) {
      Worker only = only(workers.stream().filter(w -> w.sendsTo.contains(channel)).toList());
      boolean admits = channel.size() <= channel.capacity();
      Integer item = channel.tryReceive();
      expect(item != null, "a sender waits", channel);
      received.add(item);
      if (only != null && admits) {
        only.taken = true;
        endOtherwise(only);
      }
    }
  }

  private static @Nullable Worker only(List<Worker> some) {
    boolean one = some.size() == 1 && some.getFirst().waits && !some.getFirst().over;
    return one && !some.getFirst().bounded ? some.getFirst() : null;
  }

  private void select(Worker self, Mutex mutex, Semaphore semaphore) {
    Select<Kind> select = Select.create();
    Choice choice = new Choice();
    int branches = 1 + random.nextInt(4);
    for (int i = 0; i < branches; i++) {
      add(select, choice, self, mutex, semaphore);
    }
    if (random.nextBoolean()) {
      select.fair();
    }
    Kind kind = null;
    try {
      kind = await(select, choice, self);
      met.performed.merge(kind, 1, Integer::sum);
      expect(choice.ran == 1, "branches", choice.ran);
      expect(choice.sent.size() == (kind == Kind.SEND ? 1 : 0), "sent", choice.sent);
      met.sentThoughEnded += self.taken && self.over ? 1 : 0;
    } catch (Cancellation | WaitCancelledException | DeadlineException e) {
      expect(choice.ran == 0, "branches", choice.ran);
      expect(!self.taken, "its item was received, and the select threw", e);
      met.endedOtherwise++;
      met.handedOn += self.given ? 1 : 0;
      throw e;
    } finally {
      sent.addAll(choice.sent);
      choice.offered.removeAll(choice.sent);
      refused.addAll(choice.offered);
    }
    self.ends();
    if (kind == Kind.LOCK) {
      release(mutex);
    } else if (kind == Kind.PERMIT) {
      release(semaphore);
    }
  }

  private Kind await(Select<Kind> select, Choice choice, Worker self) {
    return switch (random.nextInt(6)) {
      case 0 -> select.tryAwait(() -> choice.performed(Kind.OTHERWISE));
      case 1 -> {
        self.bounded = true;
        yield select.await(Deadline.after(Duration.ofNanos(1 + random.nextInt(4))));
      }
      case 2 -> {
        Promise<String> token = fresh();
        promises.addFirst(token);
        self.token = token;
        yield select.await(token.future());
      }
      default -> select.await();
    };
  }

  private void add(
      Select<Kind> select, Choice choice, Worker self, Mutex mutex, Semaphore semaphore) {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> {
        int item = numbers++;
        Channel<Integer> channel = any(channels);
        choice.offered.add(item);
        self.sendsTo.add(channel);
        select.onSend(
            channel,
            item,
            () -> {
              choice.sent.add(item);
              return choice.performed(Kind.SEND);
            });
      }
      case 3 -> select.onLock(mutex, () -> choice.performed(Kind.LOCK));
      case 4 -> select.onAcquire(semaphore, () -> choice.performed(Kind.PERMIT));
      case 5 -> select.onAwait(promises.getLast().future(), _ -> choice.performed(Kind.PROMISE));
      case 6 -> {
        Duration soon = Duration.ofNanos(1 + random.nextInt(4));
        select.onAwait(Heddle.timer(soon), _ -> choice.performed(Kind.TIMER));
      }
      case 7 -> addRead(select, choice, self);
      default -> {
        Channel<Integer> channel = any(channels);
        self.receivesFrom.add(channel);
        select.onReceive(
            channel,
            item -> {
              received.add(item);
              return choice.performed(Kind.RECEIVE);
            });
      }
    }
  }

  private static void addRead(Select<Kind> select, Choice choice, Worker self) {
    if (choice.reads) {
      return; // a subscription is for one branch at a time
    }
    choice.reads = true;
    select.onReceive(
        self.reader,
        item -> {
          expect(item == self.expected, "not " + self.expected, item);
          self.expected++;
          return choice.performed(Kind.READ);
        });
  }

  // ---- what always holds ----

  private void check() {
    for (Channel<Integer> channel : channels) {
      boolean sending = channel.hasSender();
      boolean receiving = channel.hasReceiver();
      int size = channel.size();
      expect(!receiving || size == 0, "a receiver is forgotten", channel);
      expect(!(receiving && sending) || selectsBothWays(channel), "both wait", channel);
      expect(!sending || size >= channel.capacity(), "a sender is forgotten", channel);
      expect(!channel.isClosed() || !(sending || receiving), "forgotten by close", channel);
    }
    expect(new HashSet<>(received).size() == received.size(), "received twice", received);
  }

  private boolean selectsBothWays(Channel<Integer> channel) {
    return workers.stream()
        .anyMatch(w -> w.waits && w.receivesFrom.contains(channel) && w.sendsTo.contains(channel));
  }

  private void checkNothingStays(Mutex mutex, Semaphore semaphore, Broadcast<Integer> broadcast) {
    for (Channel<Integer> channel : channels) {
      expect(channel.info().contains(" 0 sending, 0 receiving"), "in the queues", channel);
    }
    expect(!mutex.isLocked(), "locked", mutex);
    expect(semaphore.availablePermits() == 1 && semaphore.waiting() == 0, "permits", semaphore);
    expect(broadcast.info().contains(" 0 sending, 0 receiving"), "readers", broadcast);
    for (Promise<String> promise : promises) {
      int subscribed = EventSource.of(promise.future()).subscribers();
      expect(subscribed == 0, "subscribed", subscribed);
    }
  }

  private void verify() {
    List<Integer> all = new ArrayList<>(received);
    channels.forEach(channel -> channel.cancel(all::add));
    assertThat(all).as("doubled").doesNotHaveDuplicates();
    assertThat(all).as("lost").containsAll(sent);
    assertThat(all).as("received though refused").noneMatch(refused::contains);
  }
}
