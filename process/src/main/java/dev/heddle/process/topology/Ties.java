// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import dev.heddle.process.Exit;
import dev.heddle.scheduler.BriefLock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// What ties one process to others: links, monitors of it, monitors that it holds, its names.
public final class Ties {
  /*
   * States of a process's ties.  OPEN    link, monitor, name, their ends  OPEN   any thread: under the lock
   *                              (none)  made after the exit was told     EXITED the first who asks, with that exit
   *                              OPEN    exit                             EXITED the worker of its last step: under the lock, for ever
   *                              EXITED  monitor                          same   the monitor is told of the exit at once
   *                              EXITED  link                             same   the other side is treated as if linked before
   *                              EXITED  it links, monitors, takes a name same   refused: nobody would take back what it adds to others
   *
   * A link stands in the ties of both; both locks are held while it is made or undone, so both sides agree. Nobody waits for one of them
   * with the other in hand, but gives that one back first: so there is no circle, and whoever wants only the other never waits for a third.
   * The exit takes one lock at a time: it empties its own ties first, after which nothing can be added.
   *
   * I1. Each monitor is told of one exit, unless it was taken back. [TiesTest, StressTest]
   * I2. A link is in both ties or in none. [TiesTest]
   *
   * Nobody is told anything under a lock. P13; cases 139-156, 218.
   *
   * Rejected. An order of the locks: who has the first and waits for the second holds up all who want the first.
   */

  /// Whoever has ties.
  public interface Owner {
    /// Its ties.
    Ties ties();

    /// A process to which it was linked has ended other than normally.
    void linkBroken(Exit exit);

    /// A process that it monitors has ended.
    void monitorFired(long monitor, Exit exit);
  }

  /// A monitor of one process by another.
  private record Watch(long reference, Owner watcher) {
    // Methods of its own: those of a record are linked at their first use, which takes more stack
    // than anybody looks for; where it fails, no record of the program has any.

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Watch(long r, Owner w) && r == reference && w == watcher;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(reference) * 31 + System.identityHashCode(watcher);
    }
  }

  private final BriefLock lock = new BriefLock();

  // under the lock
  private @Nullable Exit exit;
  private @Nullable Set<Owner> links;
  private @Nullable Set<Watch> watches;
  private @Nullable Set<Consumer<Exit>> listeners;
  private @Nullable Set<Consumer<Boolean>> starters; // wait for the end of its init
  private @Nullable Map<Long, Owner> held; // monitors of this process: reference to whom it watches
  private @Nullable List<String> names;
  private long lastReference;

  /// Ties of a process.
  ///
  /// @param exit its end, when that was told before it had any; else null
  public Ties(@Nullable Exit exit) {
    this.exit = exit;
  }

  // ---- links ----

  /// Links a process to another. When that one has ended, this one is told.
  ///
  /// @throws IllegalStateException when `a` has ended
  public static void link(Owner a, Owner b) {
    if (a == b) {
      return;
    }
    Exit ofA;
    Exit ofB;
    lockBoth(a, b);
    try {
      ofA = a.ties().exit;
      ofB = b.ties().exit;
      if (ofA == null && ofB == null) {
        a.ties().addLink(b);
        b.ties().addLink(a);
      }
    } finally {
      unlockBoth(a, b);
    }
    checkOpen(ofA, "be linked");
    if (ofB != null && ofB.isAbnormal()) {
      a.linkBroken(ofB);
    }
  }

  /// As [#link], to a process of which only its exit is known.
  public static void linkGone(Owner a, Exit exit) {
    checkOpen(a.ties().exit(), "be linked");
    a.linkBroken(exit);
  }

  private @Nullable Exit exit() {
    lock.lock();
    try {
      return exit;
    } finally {
      lock.unlock();
    }
  }

  /// Without a lock in hand: to write a message takes longer than they may be held.
  private static void checkOpen(@Nullable Exit exit, String what) {
    if (exit != null) {
      throw new IllegalStateException(exit.pid() + " has ended; it cannot " + what + " any more");
    }
  }

  /// Undoes a link, if there is one.
  public static void unlink(Owner a, Owner b) {
    if (a == b) {
      return;
    }
    lockBoth(a, b);
    try {
      a.ties().removeLink(b);
      b.ties().removeLink(a);
    } finally {
      unlockBoth(a, b);
    }
  }

  private static void lockBoth(Owner a, Owner b) {
    BriefLock held = a.ties().lock;
    BriefLock wanted = b.ties().lock;
    held.lock();
    while (!wanted.tryLock()) {
      held.unlock();
      BriefLock next = wanted;
      wanted = held;
      held = next;
      held.lock();
    }
  }

  private static void unlockBoth(Owner a, Owner b) {
    a.ties().lock.unlock();
    b.ties().lock.unlock();
  }

  private void addLink(Owner other) {
    if (links == null) {
      links = new LinkedHashSet<>(4);
    }
    links.add(other);
  }

  private void removeLink(Owner other) {
    if (links != null) {
      links.remove(other);
    }
  }

  // ---- monitors ----

  /// Lets `watcher` be told when `target` ends, or at once when it has.
  ///
  /// @return a reference of the watcher's, for the event and for [#demonitor]
  /// @throws IllegalStateException when the watcher has ended
  public static long monitor(Owner watcher, Owner target) {
    return monitor(watcher, target, _ -> {});
  }

  /// The same.
  ///
  /// @param known is told the reference before the watcher can be told of the end
  /// @return a reference of the watcher's, for the event and for [#demonitor]
  public static long monitor(Owner watcher, Owner target, LongConsumer known) {
    long reference = watcher.ties().hold(target);
    known.accept(reference);
    Exit exit = target.ties().addWatch(new Watch(reference, watcher));
    if (exit != null) {
      watcher.monitorFired(reference, exit);
    } else if (!watcher.ties().holds(reference)) {
      target.ties().removeWatch(watcher, reference); // its end came before it was there
    }
    return reference;
  }

  /// As [#monitor], of a process of which only its exit is known.
  public static long monitorGone(Owner watcher, Exit exit, LongConsumer known) {
    long reference = watcher.ties().hold(null);
    known.accept(reference);
    watcher.monitorFired(reference, exit);
    return reference;
  }

  /// Takes a monitor back: its event will not be seen any more, also when it is on its way.
  ///
  /// @return false when there is none, or its event was seen
  public static boolean demonitor(Owner watcher, long reference) {
    Ties ties = watcher.ties();
    Owner target;
    ties.lock.lock();
    try {
      if (ties.held == null || !ties.held.containsKey(reference)) {
        return false;
      }
      target = ties.held.remove(reference);
    } finally {
      ties.lock.unlock();
    }
    if (target != null) {
      target.ties().removeWatch(watcher, reference);
    }
    return true;
  }

  /// The event of a monitor is about to be seen.
  ///
  /// @return false when the monitor was taken back
  public boolean takeMonitor(long reference) {
    lock.lock();
    try {
      if (held == null || !held.containsKey(reference)) {
        return false;
      }
      held.remove(reference);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private long hold(@Nullable Owner target) {
    Exit known;
    long reference;
    lock.lock();
    try {
      known = exit;
      reference = known == null ? addHeld(target) : 0;
    } finally {
      lock.unlock();
    }
    checkOpen(known, "monitor anybody");
    return reference;
  }

  private long addHeld(@Nullable Owner target) {
    if (held == null) {
      held = new HashMap<>(4);
    }
    held.put(++lastReference, target);
    return lastReference;
  }

  private boolean holds(long reference) {
    lock.lock();
    try {
      return held != null && held.containsKey(reference);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Exit addWatch(Watch watch) {
    lock.lock();
    try {
      if (exit == null) {
        if (watches == null) {
          watches = new LinkedHashSet<>(4);
        }
        watches.add(watch);
      }
      return exit;
    } finally {
      lock.unlock();
    }
  }

  private void removeWatch(Owner watcher, long reference) {
    lock.lock();
    try {
      if (watches != null) {
        watches.remove(new Watch(reference, watcher));
      }
    } finally {
      lock.unlock();
    }
  }

  /// Lets code that is no process be told of the exit, or at once when there was one.
  public void onExit(Consumer<Exit> listener) {
    Exit known;
    lock.lock();
    try {
      known = exit;
      if (known == null) {
        if (listeners == null) {
          listeners = new LinkedHashSet<>(4);
        }
        listeners.add(listener);
      }
    } finally {
      lock.unlock();
    }
    if (known != null) {
      listener.accept(known);
    }
  }

  /// Forgets a listener.
  public void offExit(Consumer<Exit> listener) {
    lock.lock();
    try {
      if (listeners != null) {
        listeners.remove(listener);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- the start ----

  /// Lets code be told when the process has started (true) or ended before (false).
  public void onStarted(Consumer<Boolean> listener) {
    lock.lock();
    try {
      if (exit == null) {
        if (starters == null) {
          starters = new LinkedHashSet<>(2);
        }
        starters.add(listener);
        return;
      }
    } finally {
      lock.unlock();
    }
    listener.accept(false);
  }

  /// Forgets a listener.
  public void offStarted(Consumer<Boolean> listener) {
    lock.lock();
    try {
      if (starters != null) {
        starters.remove(listener);
      }
    } finally {
      lock.unlock();
    }
  }

  /// The process has started: tells those who wait for it.
  public void started() {
    Set<Consumer<Boolean>> waiting;
    lock.lock();
    try {
      waiting = starters == null ? Set.of() : starters;
      starters = null;
    } finally {
      lock.unlock();
    }
    waiting.forEach(listener -> listener.accept(true));
  }

  // ---- names ----

  /// Remembers a name to be given back at the exit.
  ///
  /// @return false when the process has ended
  boolean addName(String name) {
    lock.lock();
    try {
      if (exit != null) {
        return false;
      }
      if (names == null) {
        names = new ArrayList<>(1);
      }
      names.add(name);
      return true;
    } finally {
      lock.unlock();
    }
  }

  void removeName(String name) {
    lock.lock();
    try {
      if (names != null) {
        names.remove(name);
      }
    } finally {
      lock.unlock();
    }
  }

  /// The names, the first given first.
  public List<String> names() {
    lock.lock();
    try {
      return names == null ? List.of() : List.copyOf(names);
    } finally {
      lock.unlock();
    }
  }

  // ---- the exit ----

  /// The process has ended: tells all that are tied to it, and gives its names back.
  ///
  /// @return false when that was said before
  public boolean exited(Owner owner, Exit how, Names registry) {
    Set<Owner> linked;
    Set<Watch> watching;
    Set<Consumer<Exit>> listening;
    Set<Consumer<Boolean>> starting;
    Map<Long, Owner> watched;
    List<String> named;
    lock.lock();
    try {
      if (exit != null) {
        return false;
      }
      exit = how;
      linked = links == null ? Set.of() : links;
      watching = watches == null ? Set.of() : watches;
      listening = listeners == null ? Set.of() : listeners;
      starting = starters == null ? Set.of() : starters;
      watched = held == null ? Map.of() : held;
      named = names == null ? List.of() : names;
      links = null;
      watches = null;
      listeners = null;
      starters = null;
      held = null;
      names = null;
    } finally {
      lock.unlock();
    }
    named.forEach(name -> registry.release(name, owner));
    for (Map.Entry<Long, Owner> watch : watched.entrySet()) {
      if (watch.getValue() != null) {
        watch.getValue().ties().removeWatch(owner, watch.getKey());
      }
    }
    for (Owner other : linked) {
      other.ties().forget(owner);
      if (how.isAbnormal()) {
        other.linkBroken(how);
      }
    }
    for (Watch watch : watching) {
      watch.watcher().monitorFired(watch.reference(), how);
    }
    starting.forEach(listener -> listener.accept(false));
    listening.forEach(listener -> listener.accept(how));
    return true;
  }

  private void forget(Owner other) {
    lock.lock();
    try {
      removeLink(other);
    } finally {
      lock.unlock();
    }
  }
}
