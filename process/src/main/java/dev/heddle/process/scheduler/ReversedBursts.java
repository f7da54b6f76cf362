// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.scheduler.EventQueue.Node;
import org.jspecify.annotations.Nullable;

/// What the consumer of a queue without a bound has taken off its lane and has not handed out:
/// nodes, among them bursts, and in front of these the bursts that it has met and that may have
/// more.
///
/// **Thread** the consumer's.
final class ReversedBursts {
  /*
   * Kept bursts come first: what lies behind them was pushed later. The lane is emptied before a
   * look into them, so what was added before something in that was pushed comes before it.
   *
   * A node that stands in order lies in `nodes`. Its producer has ended its bursts before: they
   * lie in front of it, or are kept, and all that is in them is seen. What the producer sends
   * later lies behind it.
   */

  /// Not handed out, nor kept.
  final Backlog nodes = new Backlog();

  // oldest first
  private @Nullable Burst keptFirst;
  private @Nullable Node first; // to be handed out, while it is being picked
  private @Nullable Burst keptLast;

  // by how much the items in bursts, without one of each that is a node, have changed
  private int unsettled;

  /// Whether a pick would find something.
  boolean hasMore() {
    if (!nodes.isEmpty()) {
      return true;
    }
    for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
      if (burst.hasMore()) {
        return true;
      }
    }
    return false;
  }

  /// Takes out up to `most`, oldest first. An item of a burst counts as one.
  @Nullable Node pick(int most) {
    nodes.rewind();
    try {
      pickAll(most);
    } catch (OutOfMemoryError e) { // a burst needs it for the nodes that are handed out
      nodes.putBack(first); // its process ends
      first = null;
      throw e;
    }
    Node all = first;
    first = null;
    return all;
  }

  private void pickAll(int most) {
    Node last = null;
    int picked = 0;
    Burst before = null;
    Burst burst = keptFirst;
    while (picked < most) {
      Node node;
      if (burst != null) {
        boolean over = burst.isOver(); // before the look for more
        int taken = burst.taken();
        node = burst.next(most - picked);
        if (node == null) {
          before = over ? drop(before, burst) : burst;
          burst = burst.nextKept;
          continue;
        }
        int items = burst.taken() - taken;
        picked += items;
        unsettled -= items;
      } else {
        node = nodes.look();
        if (node == null) {
          break;
        }
        nodes.remove();
        if (node instanceof Burst met) {
          unsettled++;
          burst = keep(met);
          continue;
        }
        picked++;
      }
      if (last == null) {
        first = node;
      } else {
        last.next = node;
      }
      last = node;
    }
  }

  /// By how much the count of items in bursts is to change, since this was last asked.
  int settled() {
    int change = unsettled;
    unsettled = 0;
    return change;
  }

  private Burst keep(Burst met) {
    met.keep();
    if (keptLast == null) {
      keptFirst = met;
    } else {
      keptLast.nextKept = met;
    }
    keptLast = met;
    return met;
  }

  private @Nullable Burst drop(@Nullable Burst before, Burst burst) {
    if (before == null) {
      keptFirst = burst.nextKept;
    } else {
      before.nextKept = burst.nextKept;
    }
    if (keptLast == burst) {
      keptLast = before;
    }
    return before;
  }

  /// Takes out all, linked, bursts as they are.
  @Nullable Node clear() {
    for (Burst burst = keptFirst; burst != null; burst = burst.nextKept) {
      burst.next = burst.nextKept;
    }
    Node first = keptFirst;
    Node rest = nodes.clear();
    if (keptLast != null) {
      keptLast.next = rest;
    }
    keptFirst = null;
    keptLast = null;
    return first == null ? rest : first;
  }
}
