// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.ProcessWorld;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The order in which what several senders put into mailboxes arrives in a simulation: any order
/// that workers of their own could have produced.
final class ArrivalOrder {
  /*
   * The steps of a simulation run one after the other, but the product runs them at the same time:
   * of two steps that send to a third process, each may send between two messages of the other. So
   * each sender has a clock, a number. What it sends gets a stamp above its clock, and the clock
   * advances to the stamp. A mailbox hands out what has arrived by stamp.
   *
   * A stamp is above all in the mailbox, unless the sender may have sent before some of that:
   * unless its clock is lower than the stamps of the last ones there. Then the simulation chooses
   * how many of these the message overtakes; 0 is the order of the steps.
   *
   * The order of all stamps is one order of everything that was sent, and it is a possible one:
   *
   * I1. Later sends of one sender have higher stamps: their order stays.
   * I2. A receiver's clock is at least the stamp of what it has received, that of a new process at
   *     least its starter's. So a message that was sent because of another one has a higher stamp.
   * I3. What a mailbox has handed out, or shown to a body, is final: a later arrival gets a higher
   *     stamp, and so does everything that its sender sends afterwards.
   * I4. What happens at one instant of virtual time has higher stamps than all before that: time
   *     moves only when nobody can run.
   * I5. What a body, a coroutine or another thread sends has a higher stamp than all before it:
   *     they may have learnt of it by other ways than messages, such as a future. Between two sends
   *     of a body others have their turn now and then (BudgetClock).
   *
   * [ArrivalOrderTest, RandomProcessesTest]
   *
   * Not seen: what steps of processes without a body learn from each other through shared memory or
   * through the registry of names. What was sent before may then arrive after the message of a step
   * that knows of it.
   *
   * Rejected. Holding messages back and delivering them as entries of their own: whether a mailbox
   * is full, and whether its process lives, is decided at the send, and a sender is told. Any order
   * of what two senders have sent: it may contradict the order in a third mailbox.
   *
   * Threads. Any; it has a lock, since a thread outside of the simulation may send.
   *
   * Sources. L. Lamport, Time, clocks, and the ordering of events, 1978.
   */
  private static final long GAP = 1L << 32; // between two stamps: 32 halvings
  private static final int MOST_OVERTAKEN = 7; // by one message, so that a choice has few outcomes

  private final ProcessWorld world;
  private final WorkerThread carrier;
  private long latest; // of all stamps
  private long instant = Long.MIN_VALUE; // of virtual time
  private long base; // the latest stamp before this instant
  private @Nullable Sender running;

  /// What sends in its steps.
  static class Sender {
    private final String name;
    private long clock;

    Sender(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }
  }

  /// @param carrier of the simulation; other threads are no senders
  ArrivalOrder(ProcessWorld world, WorkerThread carrier) {
    this.world = world;
    this.carrier = carrier;
  }

  /// A sender begins to exist, by what runs now.
  synchronized void begins(Sender made) {
    made.clock = running == null ? latest : running.clock;
  }

  synchronized void beginStep(Sender sender) {
    running = sender;
  }

  synchronized void endStep() {
    running = null;
  }

  /// The sender that sends now; null for a thread outside of the simulation.
  private @Nullable Sender sending() {
    return carrier.isCurrent() ? running : null;
  }

  /// The name of what sends now.
  synchronized String senderName() {
    Sender sender = sending();
    return sender == null ? String.valueOf(Thread.currentThread()) : sender.name;
  }

  /// A stamp for what is sent now.
  ///
  /// @param floor the stamp is above it
  /// @param arrived the stamps of what has arrived in that mailbox and has no final place,
  ///   ascending
  synchronized long stamp(long floor, List<Long> arrived) {
    long now = world.nanoTime();
    if (now != instant) {
      instant = now;
      base = latest;
    }
    Sender sender = sending();
    boolean isBody = Thread.currentThread().isVirtual();
    long stamp =
        sender == null || isBody
            ? Math.max(latest, floor) + GAP
            : stampAbove(Math.max(Math.max(sender.clock, base), floor), arrived);
    if (sender != null) {
      sender.clock = stamp;
    }
    latest = Math.max(latest, stamp);
    return stamp;
  }

  private long stampAbove(long lowest, List<Long> arrived) {
    int size = arrived.size();
    int above = 0; // how many it may overtake
    while (above < size && above < MOST_OVERTAKEN && arrived.get(size - 1 - above) > lowest) {
      above++;
    }
    if (above == 0) {
      return lowest + GAP;
    }
    for (int overtaken = world.choose(above + 1); overtaken > 0; overtaken--) {
      long upper = arrived.get(size - overtaken);
      int before = size - overtaken - 1;
      long lower = before < 0 ? lowest : Math.max(lowest, arrived.get(before));
      if (upper - lower > 1) {
        return lower + (upper - lower) / 2;
      }
    }
    return arrived.getLast() + GAP;
  }

  /// What runs now has received something with this stamp.
  synchronized void received(long stamp) {
    if (running != null) {
      running.clock = Math.max(running.clock, stamp);
    }
  }
}
