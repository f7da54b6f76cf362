// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/// Producers fill a queue while its consumer takes, or closes it: what was accepted comes out once,
/// nothing is refused where there is room, and the bound holds.
public class EventQueueStress {
  private EventQueueStress() {}

  private static final class Item extends Node {
    final int number;

    Item(int number) {
      this.number = number;
    }
  }

  /// A queue of two, what was accepted by it, and what came out.
  static class Story {
    static final int BOUND = 2;
    final EventQueue queue = new EventQueue(BOUND);
    final Taken taken = new Taken(4);
    private final boolean[] accepted = new boolean[4];
    private boolean above;

    final void push(int number) {
      accepted[number] = queue.push(new Item(number)) == EventQueue.Push.ACCEPTED;
    }

    final void pushRow(int from, int end) {
      Item[] row = new Item[4];
      for (int i = from; i < end; i++) {
        row[i] = new Item(i);
      }
      for (int at = from, more; at < end && (more = queue.pushSome(row, at, end)) > 0; at += more) {
        for (int i = at; i < at + more; i++) {
          accepted[i] = true;
        }
      }
    }

    final void takeTwice() {
      for (int i = 0; i < 2; i++) {
        above |= queue.length() > BOUND;
        count(queue.take(1));
      }
    }

    final void takeRest() {
      count(queue.take(4)); // what was turned round
      count(queue.take(4));
    }

    final void count(Node first) {
      for (Node n = first; n != null; n = EventQueue.after(n)) {
        taken.count(((Item) n).number);
      }
    }

    final int verdict() {
      for (int i = 0; i < 4; i++) {
        if (!accepted[i]) {
          taken.count(i); // else it would count as lost
        }
      }
      return taken.verdict() == Taken.FINE && !above ? 1 : 0;
    }
  }

  /// **Model.** What the queue promises, with a lock.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class Model {
    private final ArrayDeque<Integer> queue = new ArrayDeque<>();
    private final Taken taken = new Taken(2);

    @Actor
    public void producer() {
      for (int i = 0; i < 2; i++) {
        synchronized (this) {
          queue.add(i);
        }
      }
    }

    @Actor
    public synchronized void consumer() {
      taken.count(queue.poll());
    }

    @Arbiter
    public void end(I_Result r) {
      queue.forEach(taken::count);
      r.r1 = taken.verdict() == Taken.FINE ? 1 : 0;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once, never above two")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "lost, or twice, or above the bound")
  @State
  public static class Real extends Story {
    @Actor
    public void producer() {
      for (int i = 0; i < 4; i++) {
        push(i);
      }
    }

    @Actor
    public void consumer() {
      takeTwice();
    }

    @Arbiter
    public void end(I_Result r) {
      takeRest();
      r.r1 = verdict();
    }
  }

  /// **Real class**, two producers. Needs three processors.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once, never above two")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "lost, or twice, or above the bound")
  @State
  public static class RealTwoProducers extends Story {
    @Actor
    public void one() {
      push(0);
      push(1);
    }

    @Actor
    public void other() {
      push(2);
      push(3);
    }

    @Actor
    public void consumer() {
      takeTwice();
    }

    @Arbiter
    public void end(I_Result r) {
      takeRest();
      r.r1 = verdict();
    }
  }

  /// **Real class.** It is closed under its producer.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class RealCloses extends Story {
    @Actor
    public void producer() {
      for (int i = 0; i < 4; i++) {
        push(i);
      }
    }

    @Actor
    public void consumer() {
      count(queue.take(1));
      count(queue.close());
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = verdict();
    }
  }

  /// **Real class.** Messages come in rows.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once, never above two")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "lost, or twice, or above the bound")
  @State
  public static class RealRows extends Story {
    @Actor
    public void producer() {
      pushRow(0, 2);
      pushRow(2, 4);
    }

    @Actor
    public void consumer() {
      takeTwice();
    }

    @Arbiter
    public void end(I_Result r) {
      takeRest();
      r.r1 = verdict();
    }
  }

  /// **Mutant.** A row whose push has failed is linked to what the first try has seen: what came
  /// meanwhile is gone.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "something was lost")
  @State
  public static class LinksRowOnce {
    private final AtomicReference<Item> stack = new AtomicReference<>();
    private final Taken taken = new Taken(3);

    @Actor
    public void row() {
      Item first = new Item(0);
      Item second = new Item(1);
      Item seen = stack.get();
      first.next = seen;
      second.next = first;
      while (!stack.compareAndSet(seen, second)) {
        seen = stack.get();
      }
    }

    @Actor
    public void one() {
      Item item = new Item(2);
      do {
        item.next = stack.get();
      } while (!stack.compareAndSet((Item) item.next, item));
    }

    @Arbiter
    public void end(I_Result r) {
      for (Node n = stack.get(); n != null; n = n.next) {
        taken.count(((Item) n).number);
      }
      r.r1 = taken.verdict() == Taken.FINE ? 1 : 0;
    }
  }

  /// **Real class.** A queue of two is filled, and its consumer takes one and turns the other
  /// round, while somebody pushes a row who may have seen the stack empty before.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "never more than two")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "the bound was passed")
  @State
  public static class RealRowKeepsTheBound {
    private final EventQueue queue = new EventQueue(2);

    @Actor
    public void late() {
      Item[] row = {new Item(0), new Item(1)};
      int pushed = queue.pushSome(row, 0, 2);
      if (pushed == 1) {
        var _ = queue.pushSome(row, 1, 2);
      }
    }

    @Actor
    public void consumer() {
      var _ = queue.push(new Item(2));
      var _ = queue.push(new Item(3));
      var _ = queue.take(1);
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = queue.length() > 2;
    }
  }

  /// **Mutant.** A row goes onto an empty stack as a whole.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "never more than two")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "the bound was passed")
  @State
  public static class RowOntoAnEmptyStack {
    private final AtomicInteger stacked = new AtomicInteger();
    private volatile int held;

    private void push(int row) {
      if (stacked.get() == 0 && held + row <= 2) {
        stacked.compareAndSet(0, row);
      }
    }

    @Actor
    public void late() {
      push(2);
    }

    @Actor
    public void consumer() {
      push(2);
      held = 1; // one is taken, and one left
      stacked.set(0);
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = stacked.get() + held > 2;
    }
  }

  /// **Mutant.** The consumer empties the stack with a store, not with an exchange: who pushed
  /// between its look and that is gone.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was accepted came out once")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class EmptiesByStore {
    private final AtomicReference<Item> stack = new AtomicReference<>(new Item(0));
    private final Taken taken = new Taken(2);

    @Actor
    public void producer() {
      Item item = new Item(1);
      do {
        item.next = stack.get();
      } while (!stack.compareAndSet((Item) item.next, item));
    }

    @Actor
    public void consumer() {
      Node seen = stack.get();
      stack.set(null);
      for (; seen != null; seen = seen.next) {
        taken.count(((Item) seen).number);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      consumer();
      r.r1 = taken.verdict() == Taken.FINE ? 1 : 0;
    }
  }

  /// **Real class.** A queue of two holds one, and one more comes while the consumer takes: there
  /// is room whatever the consumer has done by then.
  @JCStressTest
  @Outcome(id = "ACCEPTED", expect = ACCEPTABLE, desc = "there was room")
  @Outcome(id = "FULL", expect = FORBIDDEN, desc = "what the consumer turns round counted twice")
  @State
  public static class RealHasRoom {
    private final EventQueue queue = new EventQueue(2);

    /// With one node in it.
    public RealHasRoom() {
      var _ = queue.push(new Item(0));
    }

    @Actor
    public void producer(L_Result r) {
      r.r1 = queue.push(new Item(1));
    }

    @Actor
    public void consumer() {
      var _ = queue.take(1);
    }
  }

  /// **Mutant.** The consumer says how many it takes before it has taken them.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "there was room")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "the one node counted twice")
  @State
  public static class CountsTwice {
    private final AtomicInteger stacked = new AtomicInteger(1);
    private volatile int held;

    @Actor
    public void producer(Z_Result r) {
      int seen = stacked.get();
      r.r1 = seen + 1 + held <= 2;
    }

    @Actor
    public void consumer() {
      held = 1;
      stacked.set(0);
    }
  }

  /// **Real class.** A queue of one is filled and emptied while somebody pushes who may have looked
  /// at it before.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "never more than one")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "the bound was passed")
  @State
  public static class RealKeepsItsBound {
    private final EventQueue queue = new EventQueue(1);

    @Actor
    public void late(Z_Result r) {
      var _ = queue.push(new Item(0));
      r.r1 = queue.length() > 1;
    }

    @Actor
    public void consumer() {
      var _ = queue.push(new Item(1));
      var _ = queue.take(1);
    }
  }

  /// **Mutant.** What a take hands out is held for a moment after the stack was emptied.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "never more than one")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "the bound was passed")
  @State
  public static class HandsOutLater {
    private final AtomicInteger stacked = new AtomicInteger();
    private volatile int held;

    private boolean push() {
      return stacked.get() == 0 && held == 0 && stacked.compareAndSet(0, 1);
    }

    @Actor
    public void late(Z_Result r) {
      r.r1 = push() && stacked.get() + held > 1;
    }

    @Actor
    public void consumer() {
      push();
      held = stacked.getAndSet(0);
      held = 0;
    }
  }

  /// **Real class.** A message, what stands in order behind it, and another message, of one
  /// producer, while the consumer takes.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "in order")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "one has overtaken another")
  @State
  public static class RealInOrder {
    private final EventQueue queue = new EventQueue(4);
    private final Turns turns = new Turns();

    /// With another message in it.
    public RealInOrder() {
      var _ = queue.push(new Item(0));
    }

    @Actor
    public void producer() {
      var _ = queue.push(new Item(1));
      var _ = queue.pushInOrder(new Item(2));
      var _ = queue.push(new Item(3));
    }

    @Actor
    public void consumer() {
      turns.add(queue.take(1));
      turns.add(queue.take(1));
    }

    @Arbiter
    public void end(I_Result r) {
      for (int i = 0; i < 4; i++) {
        turns.add(queue.take(4));
      }
      r.r1 = turns.areInOrder() ? 1 : 0;
    }
  }

  /// **Real class.** The same, where the oldest message gives way.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "in order")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "one has overtaken another")
  @State
  public static class RealInOrderOfTheLatest {
    private final EventQueue queue = new EventQueue(4, true);
    private final Turns turns = new Turns();

    /// With another message in it.
    public RealInOrderOfTheLatest() {
      var _ = queue.push(new Item(0), _ -> {});
    }

    @Actor
    public void producer() {
      var _ = queue.push(new Item(1), _ -> {});
      var _ = queue.pushInOrder(new Item(2));
      var _ = queue.push(new Item(3), _ -> {});
    }

    @Actor
    public void consumer() {
      turns.add(queue.take(1));
      turns.add(queue.take(1));
    }

    @Arbiter
    public void end(I_Result r) {
      turns.add(queue.take(4));
      r.r1 = turns.areInOrder() ? 1 : 0;
    }
  }

  /// What came, in order.
  private static final class Turns {
    private final StringBuilder all = new StringBuilder();

    void add(Node first) {
      for (Node n = first; n != null; n = EventQueue.after(n)) {
        all.append(((Item) n).number);
      }
    }

    boolean areInOrder() {
      return all.toString().equals("0123");
    }
  }

  /// **Mutant.** What stands in order lies in a lane of its own, and the consumer looks at the
  /// messages before it empties that.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "behind the message")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "it has overtaken the message")
  @State
  public static class LooksTooSoon {
    private final AtomicReference<Item> ordinary = new AtomicReference<>();
    private final AtomicReference<Item> urgent = new AtomicReference<>();
    private boolean overtaken;

    @Actor
    public void producer() {
      ordinary.set(new Item(1));
      urgent.set(new Item(2));
    }

    @Actor
    public void consumer() {
      Item message = ordinary.getAndSet(null);
      Item inOrder = urgent.getAndSet(null);
      overtaken = inOrder != null && message == null;
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = overtaken ? 0 : 1;
    }
  }

  /// **Mutant.** The same, and it empties that first.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "before the message")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "the message has overtaken it")
  @State
  public static class LooksTooLate {
    private final AtomicReference<Item> ordinary = new AtomicReference<>();
    private final AtomicReference<Item> urgent = new AtomicReference<>();
    private boolean overtaken;

    @Actor
    public void producer() {
      urgent.set(new Item(2));
      ordinary.set(new Item(3));
    }

    @Actor
    public void consumer() {
      Item inOrder = urgent.getAndSet(null);
      Item message = ordinary.getAndSet(null);
      overtaken = inOrder == null && message != null;
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = overtaken ? 0 : 1;
    }
  }

  /// **Real class.** A queue of one is filled, and its consumer looks at what is in it and leaves
  /// it, while somebody pushes who may have seen the stack empty before.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "never more than one")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "the bound was passed")
  @State
  public static class RealKeepsItsBoundWhileLookedAt {
    private final EventQueue queue = new EventQueue(1);

    @Actor
    public void late() {
      var _ = queue.push(new Item(0));
    }

    @Actor
    public void consumer() {
      var _ = queue.push(new Item(1));
      var _ = queue.peekNext();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = queue.length() > 1;
    }
  }

  /// **Mutant.** What is turned round and left leaves the stack empty, as it was before.
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "never more than one")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "the bound was passed")
  @State
  public static class NoMark {
    private final AtomicInteger stacked = new AtomicInteger();
    private volatile int held;

    private boolean push() {
      return stacked.get() == 0 && held == 0 && stacked.compareAndSet(0, 1);
    }

    @Actor
    public void late() {
      push();
    }

    @Actor
    public void consumer() {
      push();
      held = 1;
      stacked.set(0);
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = stacked.get() + held > 1;
    }
  }
}
