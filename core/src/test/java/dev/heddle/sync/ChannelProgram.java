// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A random program of coroutines that send to one channel and receive from it: with and without
/// waiting, with tokens, deadlines, cancellations, a close, a cancel and a shutdown at any step. It
/// runs in virtual time, so that a seed repeats it.
///
/// Each item has a number, in the order in which the sends were called, so that a ledger can say
/// where it is. Each receive has a number, too. In a *calm* program no receive ends otherwise than
/// with an item or the end of the channel; then an earlier receive must have got the earlier item.
///
/// A *window* is the time between the moment in which a waiter is served and that in which it runs.
/// The program serves the oldest waiter, where it knows which one that is, and then ends its wait
/// otherwise.
public final class ChannelProgram {
  /// The time after which a channel with a limit closes.
  public static final Duration LIMIT = Duration.ofHours(1);

  private static final int WORKERS = 6;
  private static final int STEPS = 8;
  private static final int NONE = -1;

  /// How the channel ends when all wait.
  public enum End {
    /// The program closes it.
    CLOSE,
    /// It is closed by its limit.
    LIMIT,
    /// It is closed when the loop would report a deadlock.
    DEADLOCK
  }

  /// What many programs have met. Else they would prove nothing.
  public static final class Met {
    /// Nothing yet.
    public Met() {}

    /// Items that were given to a receiver whose wait then ended otherwise.
    public int handedOn;

    /// Sends that have succeeded although their wait then ended otherwise.
    public int sentThoughEnded;

    /// Programs in which the order of several receives was checked.
    public int ordered;

    /// Programs in which all waited at some moment.
    public int stuck;

    /// Programs that were shut down.
    public int stopped;

    /// Channels that were cancelled while a receiver had been given an item.
    public int cancelledWithGiven;

    /// The most that a channel held beyond its capacity.
    public int beyond;
  }

  private enum Wait {
    NOTHING,
    SEND,
    RECEIVE
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    boolean cancelled;

    // of the wait it is in
    Wait waits = Wait.NOTHING;
    int number; // of the receive, or of the item
    @Nullable Promise<String> token;
    boolean bounded; // by a deadline
    boolean over; // it has been cancelled meanwhile, or its token has fired
    int given = NONE; // the item that it must receive, unless its wait ends otherwise
    boolean taken; // its item was received, so the send must succeed

    void begins(Wait kind, int which) {
      waits = kind;
      number = which;
      token = null;
      bounded = false;
      over = false;
      given = NONE;
      taken = false;
    }

    boolean isDone() {
      return coroutine != null && coroutine.isDone();
    }
  }

  private record Pending(int number, Future<Integer> future) {}

  private final Random random;
  private final End end;
  private final Met met;
  private final boolean calm;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Promise<String>> tokens = new ArrayList<>();
  private final List<Pending> futures = new ArrayList<>();
  private Consumer<Duration> pause = _ -> {};

  private int items;
  private int receives;
  private final ChannelLedger ledger = new ChannelLedger();
  private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);
  private int progress; // steps of workers
  private boolean cancelled; // the channel
  private boolean stopped; // the loop
  private boolean verified;
  private @Nullable Throwable broken; // of a worker: its supervised scope only reports it

  private ChannelProgram(long seed, End end, Met met) {
    this.random = new Random(seed);
    this.end = end;
    this.met = met;
    this.calm = random.nextBoolean();
  }

  /// Runs one.
  ///
  /// @param opened makes the channel, in the loop of the program
  public static void run(long seed, End end, Supplier<ChannelPipe> opened, Met met) {
    ChannelProgram program = new ChannelProgram(seed, end, met);
    try {
      VirtualTime.runWithPauses(pause -> {
        program.pause = pause;
        program.play(opened.get());
      });
      program.throwIfBroken();
    } catch (Cancellation c) {
      // of the shutdown; it may come to the main coroutine when all is verified
      if (!program.stopped || !program.verified) {
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

  private void play(ChannelPipe pipe) {
    try {
      Heddle.supervise(s -> {
        start(s, pipe);
        drive(pipe);
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
    checkNothingStays(pipe);
    if (!cancelled) {
      pipe.cancel(ledger::left);
    }
    verify(pipe);
    verified = true;
  }

  private void start(Scope scope, ChannelPipe pipe) {
    for (int i = 0; i < WORKERS; i++) {
      Worker worker = new Worker();
      workers.add(worker);
      worker.coroutine =
          scope.spawn(() -> {
            live(worker, pipe);
            return worker;
          });
    }
  }

  private void drive(ChannelPipe pipe) {
    while (!allDone()) {
      Heddle.yieldNow();
      throwIfBroken();
      if (allWait()) {
        int before = progress;
        Heddle.delay(Duration.ofMillis(1)); // deadlines run out
        settle(5);
        if (allWait() && progress == before) {
          check(pipe); // before anything is mended
          met.stuck++;
          endWaits(pipe);
        }
      }
    }
  }

  private void endWaits(ChannelPipe pipe) {
    expect(!pipe.isClosed(), "they wait, though it is closed", pipe.info());
    switch (end) {
      case CLOSE -> pipe.close();
      case LIMIT -> Heddle.delay(LIMIT.multipliedBy(2));
      case DEADLOCK -> {
        Coroutine<?> one =
            workers.stream().filter(w -> !w.isDone()).findAny().orElseThrow().coroutine;
        var _ = catchThrowable(() -> one.await());
      }
    }
    expect(pipe.isClosed(), "not closed", pipe.info());
    settle(10 * STEPS);
    throwIfBroken();
    expect(allDone(), "a waiter is forgotten", pipe.info());
    expect(end == End.CLOSE || reasons.contains(Reason.DEADLOCK), "the reason", reasons);
  }

  private void settle(int rounds) {
    for (int i = 0; i < rounds && !allDone(); i++) {
      Heddle.yieldNow();
    }
  }

  private boolean allDone() {
    return workers.stream().allMatch(Worker::isDone);
  }

  private boolean allWait() {
    return !allDone() && workers.stream().allMatch(w -> w.isDone() || w.waits != Wait.NOTHING);
  }

  private void live(Worker self, ChannelPipe pipe) {
    for (int step = 0; step < STEPS; step++) {
      progress++;
      try {
        act(self, pipe);
        check(pipe);
      } catch (WaitCancelledException e) {
        note(self.over, e);
      } catch (DeadlineException e) {
        note(self.bounded, e);
      } catch (ChannelClosedException e) {
        reasons.add(e.reason());
        note(pipe.isClosed(), e);
      } catch (Cancellation e) {
        note(self.cancelled || stopped, e);
        throw e;
      } catch (Throwable e) {
        note(false, e);
      }
    }
  }

  private void note(boolean expected, Throwable thrown) {
    if (!expected && broken == null) {
      broken = thrown;
    }
  }

  private void act(Worker self, ChannelPipe pipe) {
    switch (random.nextInt(18)) {
      case 0, 1, 2, 3 -> send(self, pipe);
      case 4, 5, 6, 7 -> receive(self, pipe);
      case 8 -> trySend(pipe);
      case 9 -> tryReceive(pipe);
      case 10 -> receiveAsync(pipe);
      case 11 -> endOtherwise(any(workers));
      case 12, 13, 14 -> openWindow(pipe);
      case 15 -> pause.accept(Duration.ofNanos(random.nextInt(4)));
      case 16 -> Heddle.yieldNow();
      default -> actSeldom(pipe);
    }
  }

  private void actSeldom(ChannelPipe pipe) {
    switch (random.nextInt(12)) {
      case 0 -> pipe.close();
      case 1, 2 -> {
        if (workers.stream().anyMatch(w -> w.given != NONE)) {
          met.cancelledWithGiven++;
        }
        if (!cancelled) {
          cancelled = true;
          pipe.cancel(ledger::left);
        }
      }
      case 3 -> {
        if (!calm) {
          stopped = true;
          Heddle.shutdown(Duration.ofHours(1));
        }
      }
      case 4 -> pause.accept(LIMIT.multipliedBy(2));
      default -> Heddle.yieldNow();
    }
  }

  private <E> E any(List<E> list) {
    return list.get(random.nextInt(list.size()));
  }

  // ---- operations ----

  private void send(Worker self, ChannelPipe pipe) {
    int item = items++;
    self.begins(Wait.SEND, item);
    try {
      switch (random.nextInt(3)) {
        case 0 -> pipe.send(item);
        case 1 -> pipe.send(item, deadlineOf(self));
        default -> pipe.send(item, tokenOf(self));
      }
      ledger.sent(item);
      met.sentThoughEnded += self.taken && self.over ? 1 : 0;
    } catch (Throwable e) {
      ledger.refused(item);
      expect(!self.taken, "its item was received, and send() threw", e);
      throw e;
    } finally {
      self.waits = Wait.NOTHING;
    }
  }

  private void receive(Worker self, ChannelPipe pipe) {
    self.begins(Wait.RECEIVE, receives++);
    try {
      int item =
          switch (calm ? 0 : random.nextInt(3)) {
            case 0 -> pipe.receive();
            case 1 -> pipe.receive(deadlineOf(self));
            default -> pipe.receive(tokenOf(self));
          };
      expect(self.given == NONE || self.given == item, "given " + self.given, item);
      ledger.received(self.number, item);
    } catch (Throwable e) {
      if (self.given != NONE) {
        expect(self.over || self.bounded || stopped, "given, and receive() threw", e);
        met.handedOn++;
      }
      throw e;
    } finally {
      self.waits = Wait.NOTHING;
      self.given = NONE;
    }
  }

  private Deadline deadlineOf(Worker self) {
    self.bounded = true;
    return Deadline.after(Duration.ofNanos(1 + random.nextInt(4)));
  }

  private Future<String> tokenOf(Worker self) {
    Promise<String> token = new Promise<>();
    token.future().ignore();
    self.token = token;
    tokens.add(token);
    return token.future();
  }

  // the number of the item, if it was sent
  private int trySend(ChannelPipe pipe) {
    int item = items++;
    boolean mustWait = pipe.hasSender() || (!pipe.hasReceiver() && pipe.size() >= pipe.limit());
    boolean done = false;
    try {
      done = pipe.trySend(item);
    } finally {
      if (done) {
        ledger.sent(item);
      } else {
        ledger.refused(item);
      }
    }
    expect(done == (!mustWait || pipe.isConflated()), "sent: " + done, pipe.info());
    return done ? item : NONE;
  }

  private @Nullable Integer tryReceive(ChannelPipe pipe) {
    int number = receives++;
    boolean mustWait = pipe.size() == 0 && !pipe.hasSender();
    Integer item = pipe.tryReceive();
    if (item != null) {
      ledger.received(number, item);
    }
    expect(mustWait == (item == null), "received " + item, pipe.info());
    return item;
  }

  private void receiveAsync(ChannelPipe pipe) {
    int number = receives++;
    Future<Integer> future = pipe.receiveAsync();
    if (future == null) {
      return;
    }
    future.ignore();
    futures.add(new Pending(number, future));
    if (random.nextInt(3) == 0 && !future.isDone()) {
      future.cancel("not needed");
    }
  }

  /// Cancels a worker, or fires the token of its wait.
  private void endOtherwise(Worker one) {
    if (one.coroutine == null || (calm && one.waits != Wait.SEND)) {
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

  /// Serves the oldest waiter, and ends its wait otherwise before it runs.
  private void openWindow(ChannelPipe pipe) {
    if (pipe.isClosed()) {
      return;
    }
    if (pipe.hasReceiver()) {
      Worker oldest = oldest(Wait.RECEIVE, pipe);
      Pending first = oldestFuture();
      boolean toFuture = first != null && (oldest == null || first.number < oldest.number);
      int item = trySend(pipe);
      if (oldest != null && !toFuture) {
        oldest.given = item;
        endOtherwise(oldest);
      } else if (oldest != null && first != null) {
        expect(first.future.isDone() && first.future.result() == item, "for a future", item);
      }
    } else if (pipe.hasSender()) {
      Worker oldest = oldest(Wait.SEND, pipe);
      boolean admits = pipe.size() <= pipe.limit();
      Integer item = tryReceive(pipe);
      if (oldest != null && admits) {
        expect(pipe.limit() > 0 || item == oldest.number, "of the oldest sender", item);
        oldest.taken = true;
        endOtherwise(oldest);
      }
    }
  }

  private @Nullable Pending oldestFuture() {
    return futures.stream().filter(p -> !p.future.isDone()).findFirst().orElse(null);
  }

  /// The worker that is to be served first; null: not known.
  private @Nullable Worker oldest(Wait kind, ChannelPipe pipe) {
    List<Worker> waiting =
        workers.stream()
            .filter(w -> w.waits == kind)
            .sorted(Comparator.comparingInt(w -> w.number))
            .toList();
    long open = kind == Wait.RECEIVE ? futures.stream().filter(p -> !p.future.isDone()).count() : 0;
    if (queued(pipe, kind) != waiting.size() + open) {
      return null; // one of them was served, or removed
    }
    for (Worker each : waiting) {
      if (pipe.servesThoseThatLeave() || (!each.over && !each.bounded)) {
        return each;
      }
      if (each.bounded) {
        return null; // its deadline may have run out, or not
      }
    }
    return null;
  }

  private static int queued(ChannelPipe pipe, Wait kind) {
    String what = kind == Wait.SEND ? " sending" : " receiving";
    String before = pipe.info().substring(0, pipe.info().indexOf(what));
    return Integer.parseInt(before.substring(before.lastIndexOf(' ') + 1));
  }

  // ---- what always holds ----

  private void check(ChannelPipe pipe) {
    boolean sending = pipe.hasSender();
    boolean receiving = pipe.hasReceiver();
    int size = pipe.size();
    expect(!receiving || (size == 0 && !sending), "a receiver is forgotten", pipe.info());
    expect(!sending || size >= pipe.limit(), "a sender is forgotten", pipe.info());
    expect(!pipe.isClosed() || !(sending || receiving), "forgotten by the close", pipe.info());
    expect(!(calm || pipe.isConflated()) || size <= pipe.limit(), "capacity", pipe.info());
    met.beyond = Math.max(met.beyond, size - pipe.limit());
  }

  private void checkNothingStays(ChannelPipe pipe) {
    long open = futures.stream().filter(p -> !p.future.isDone()).count();
    expect(queued(pipe, Wait.SEND) == 0, "senders stay", pipe.info());
    expect(queued(pipe, Wait.RECEIVE) == open, open + " receivers are left", pipe.info());
    for (Promise<String> token : tokens) {
      expect(EventSource.of(token.future()).subscribers() == 0, "subscribed", pipe.info());
    }
  }

  private void verify(ChannelPipe pipe) {
    for (Pending each : futures) {
      if (each.future.failure() == null) {
        ledger.received(each.number, each.future.result());
      }
    }
    ledger.verify(pipe.isConflated());
    if (calm) {
      ledger.verifyOrder();
      met.ordered += ledger.receptions() > 4 ? 1 : 0;
    }
  }
}
