// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Virtual time, for any number of loops: one of them runs at a time, and the clock moves when none
/// can.
public final class VirtualTurns implements Turns {
  /*
   * Each loop runs on a carrier of its own. The carriers hand over one turn: whoever has it runs
   * coroutines, or looks for the loop that runs next. So everything here and in the simulated world
   * is used by one thread at a time, and needs no lock.
   *
   * States of a loop.
   *   from      event                                       to        who
   *   -         join()                                      WAITING   the thread that builds the
   *                                                                   group
   *   WAITING   chosen by select()                          RUNNING   the holder of the turn
   *   RUNNING   sleep(): its carrier selects the next one   WAITING   its carrier
   *   RUNNING   leave(): the same                           LEFT      its carrier
   *
   * A waiting loop is ready when it was woken up, when its driver has something to deliver, or when
   * its deadline has come. select() runs what is due in the world, and chooses one of the loops
   * that are ready, by the seed. If none is, it moves the clock to the next event or deadline,
   * whichever is first.
   *
   * A poll without a wait (NO_WAIT) gives the turn up, too: a loop that is always busy would
   * otherwise keep it for ever. It also costs a microsecond, or a coroutine that yields until a
   * packet arrives would yield for ever.
   *
   * What the JDK has parked may be woken up by threads outside. This is waited for in real time
   * when nothing else can go on.
   *
   * When no loop is ready and nothing is scheduled, nothing can go on: the first loop that has
   * joined and wants to know is told so in its turn, and reports its deadlock. Then the next one.
   *
   * Memory order. `holder` is written by the holder, after all that it has done, and read by the
   * next one before all that it does. wakeup() writes `woken` and then reads `idle`; a carrier that
   * waits for other threads writes `idle` and then reads `woken`. All four are volatile, so one of
   * the two sees the other's write, and the carrier is not left parked (Dekker).
   *
   * Cost. A turn that stays with its loop: a scan of the loops. One that is handed over: two
   * switches of threads.
   *
   * Rejected. One carrier for all loops: a loop's scheduler is its thread's own frame, and a
   * program may ask for its thread.
   */
  private static final long POLL_NANOS = 1_000;

  private final Agenda agenda = new Agenda();
  private final SplittableRandom order;

  // the holder of the turn
  private final List<Seat> seats = new ArrayList<>();

  // the holder writes, any thread reads
  private volatile long now;
  private volatile @Nullable Seat holder;
  private volatile @Nullable Thread idle; // a carrier that waits for other threads

  /// A world in which nothing is scheduled, at time 0.
  ///
  /// @param seed of the order of loops that are ready at the same time
  public VirtualTurns(long seed) {
    this.order = new SplittableRandom(seed);
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public void schedule(long atNanos, Runnable action) {
    agenda.add(atNanos, action);
  }

  /// Lets a loop join. **Thread** the one that builds the group; once it has begun, the holder of
  /// the turn.
  ///
  /// @param name in messages
  public Seat join(String name) {
    Seat seat = new Seat(name);
    seats.add(seat);
    return seat;
  }

  /// Gives the first turn to a loop. **Thread** the one that has let the loops join.
  public void begin() {
    handOver(select());
  }

  // ---- turns ----

  /// Finds the loop that runs next, and moves the clock if it must. May wait for other threads.
  private @Nullable Seat select() {
    while (true) {
      agenda.runDue(now);
      List<Seat> ready = seats.stream().filter(Seat::isReady).toList();
      if (!ready.isEmpty()) {
        return ready.get(ready.size() == 1 ? 0 : order.nextInt(ready.size()));
      }
      long next = nextTime();
      if (next != NO_DEADLINE) {
        advanceTo(next);
      } else if (seats.isEmpty()) {
        return null;
      } else if (seats.stream().anyMatch(seat -> seat.foreignHope.getAsBoolean())) {
        awaitWakeup();
      } else {
        return stuck();
      }
    }
  }

  private void awaitWakeup() {
    idle = Thread.currentThread();
    while (seats.stream().noneMatch(seat -> seat.woken)) {
      LockSupport.park(this);
      Seat current = holder;
      if (current != null && Thread.currentThread().isInterrupted()) {
        current.woken = true; // its scheduler asks for interrupts after a sleep
      }
    }
    idle = null;
  }

  private void advanceTo(long time) {
    now = time; // safe: only the holder writes it
  }

  private long nextTime() {
    long next = agenda.next();
    for (Seat seat : seats) {
      next = Math.min(next, seat.deadline);
    }
    return next;
  }

  private Seat stuck() {
    for (Seat seat : seats) {
      if (seat.whenStuck != null) {
        seat.stuck = true;
        return seat;
      }
    }
    throw new IllegalStateException(
        "no loop can go on, and none wants to know: " + seats.stream().map(s -> s.name).toList());
  }

  private void handOver(@Nullable Seat next) {
    holder = next;
    if (next != null && next.carrier != null) {
      LockSupport.unpark(next.carrier);
    }
  }

  /// The part of one loop.
  public final class Seat implements Turn {
    private final String name;

    // carrier only
    private boolean interrupted;

    // the holder of the turn
    private BooleanSupplier hasWork = () -> false;
    private Object driver = this;
    private BooleanSupplier foreignHope = () -> false;
    private @Nullable Runnable whenStuck;
    private long deadline = NO_WAIT; // ready to begin
    private boolean stuck; // to be told that nothing can go on

    // the carrier writes, any thread reads
    private volatile @Nullable Thread carrier;

    // any thread sets it, the carrier takes it
    private volatile boolean woken;

    private Seat(String name) {
      this.name = name;
    }

    @Override
    public void serve(Object sleeper, BooleanSupplier toDeliver) {
      driver = sleeper;
      hasWork = toDeliver;
    }

    private boolean isReady() {
      return deadline <= now || woken || hasWork.getAsBoolean();
    }

    /// Has the current thread, the loop's carrier, wait for its first turn.
    public void awaitFirst() {
      carrier = Thread.currentThread();
      awaitTurn();
    }

    /// Sets what is asked of the loop once it runs. **Thread** its carrier.
    ///
    /// @param mayBeWoken whether threads outside of the simulation may wake it up
    /// @param onStuck called on its carrier, in a sleep, when no loop can go on; null: others are
    ///   told, for this one only serves them
    public void watch(BooleanSupplier mayBeWoken, @Nullable Runnable onStuck) {
      foreignHope = mayBeWoken;
      whenStuck = onStuck;
    }

    @Override
    public void sleep(long deadlineNanos) {
      if (deadlineNanos == NO_WAIT) {
        advanceTo(now + POLL_NANOS);
      }
      // an interrupt is the scheduler's business, which asks for it after a sleep
      deadline = Thread.currentThread().isInterrupted() ? NO_WAIT : deadlineNanos;
      Seat next = select();
      if (next != this) {
        handOver(next);
        awaitTurn();
      }
      woken = false;
      if (stuck && whenStuck != null) {
        stuck = false;
        whenStuck.run();
      }
    }

    private void awaitTurn() {
      while (holder != this) {
        LockSupport.park(driver);
        if (Thread.interrupted()) {
          woken = true; // the turn comes first; the loop is then told of the interrupt
          interrupted = true;
        }
      }
      if (interrupted) {
        interrupted = false;
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void wakeup() {
      woken = true;
      LockSupport.unpark(idle);
    }

    /// The loop has ended. **Thread** its carrier.
    public void leave() {
      seats.remove(this);
      handOver(select());
    }
  }
}
