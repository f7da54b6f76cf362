// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import dev.heddle.internal.BriefLock;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
   * States of the ties of a process.
   *   from    event                              to      who, order
   *   OPEN    link, monitor, name, their ends    OPEN    any thread: under the lock
   *   (none)  made after the exit was told       EXITED  the first who asks, with that exit
   *   OPEN    exited()                           EXITED  the worker of its last step: under the lock, for ever
   *   EXITED  monitor                            same    the watcher is told of the exit at once
   *   EXITED  link                               same    the other process is treated as if it had been linked before
   *   EXITED  it links, monitors, takes a name   same    refused: nobody would take back what it adds to others
   *
   * States of a link, at the process that stays.
   *   from    event                              to      who, order
   *   (none)  link()                             LINKED  any thread: in the ties of both, under both locks
   *   (none)  link() to one that has failed      BROKEN  any thread: under both locks; then this process is told
   *   LINKED  unlink(), of either process        (none)  any thread: under both locks
   *   LINKED  the other one has ended normally   (none)  who tells of that: under the lock of this process
   *   LINKED  the other one has failed           BROKEN  the same: this process decides what that does to it, still under the lock
   *   BROKEN  its signal is about to be seen     (none)  the worker of this process: under its lock
   *   BROKEN  unlink()                           (none)  any thread: under the lock; its signal is not admitted any more
   *   BROKEN  link()                             same    the signal on its way tells
   *
   * A link stands in the ties of both; both locks are held while it is made or undone, so both
   * sides agree. Nobody waits for one of them with the other in hand, but gives that one back
   * first: so there is no circle, and whoever wants only the other never waits for a third. The
   * exit takes one lock at a time: first its own, after which nothing can be added to it, then
   * that of each process it is linked to.
   *
   * I1. Each monitor is told of one exit, unless it was taken back. [TiesTest, StressTest]
   * I2. A link is in both ties or in none, but for those to a process that has ended. [TiesTest]
   * I3. After unlink() has returned no end of that link is decided, and no signal of it is
   *     admitted: a link is broken under the same lock under which unlink() takes it away, and
   *     only where it is found there. A link is an object, so one that is made anew admits no
   *     signal of the old one. [LinksTest, TiesLincheckTest, TiesStress; mutant:
   *     TiesStress.TellsWhomItTook]
   * I4. Where telling lacks memory it stops, and goes on there when exited() is called again:
   *     nobody is left out or told twice. [OutOfMemoryTest]
   *
   * Under a lock nobody is told anything, nor woken. What a broken link does is decided there by a
   * flag and a CAS, without memory. P13; cases 139-156, 218.
   *
   * Rejected. An order of the locks: who has the first and waits for the second holds up all who
   * want the first. To take all links out and tell each of those processes: it may have undone the
   * link meanwhile. Numbers of links: an object does as well, and is there.
   */

  /// Whoever has ties.
  public interface Owner {
    /// Its ties.
    Ties ties();

    /// Its address.
    Pid self();

    /// A process to which it is linked has ended other than normally: decides what that does to it.
    /// Under a lock, so it neither waits, nor allocates, nor calls others.
    ///
    /// @return true when it wants to be told by a signal; false when its own end is decided
    boolean linkBreaks(Exit exit);

    /// Carries out what [#linkBreaks] has said.
    void linkBroken(Link link, Exit exit, boolean bySignal);

    /// A process that it monitors has ended.
    void monitorFired(long monitor, Exit exit);
  }

  /// Where the names of an owner are given back.
  public interface NameRegistry {
    /// Takes a name from its owner, if that has it.
    void release(String name, Owner owner);
  }

  /// One link of two processes. Made anew it is another object.
  public static final class Link {
    final Owner maker;
    private final @Nullable Owner other; // null when only its exit is known
    private final Pid to;

    // under the lock of the process that stays
    boolean isBroken;
    boolean isBySignal;

    // who tells of the exit
    boolean isTold;

    Link(Owner maker, @Nullable Owner other, Pid to) {
      this.maker = maker;
      this.other = other;
      this.to = to;
    }

    @Nullable Owner partnerOf(Owner one) {
      return one == maker ? other : maker;
    }

    Pid addressFor(Owner one) {
      return one == maker ? to : maker.self();
    }

    /// Lets the process that stays decide. Under its lock.
    void breaks(Owner stays, Exit how) {
      if (!isBroken) {
        isBroken = true;
        isBySignal = stays.linkBreaks(how);
      }
    }
  }

  /// A monitor of one process by another.
  record Watch(long reference, Owner watcher) {
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
  private @Nullable Map<Pid, Link> links; // by the address of the other
  private @Nullable Set<Watch> watches;
  private @Nullable Set<Consumer<Exit>> listeners;
  private @Nullable Set<Consumer<Boolean>> starters; // wait for the end of its init
  private @Nullable Map<Long, @Nullable Owner> held; // by the reference: whom it monitors
  private @Nullable List<String> names;
  private long lastReference;

  // who tells of the exit
  private @Nullable Farewell farewell;

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
    Link broken = null;
    lockBoth(a, b);
    try {
      ofA = a.ties().exit;
      ofB = b.ties().exit;
      if (ofA == null && !a.ties().isLinkedTo(b.self())) {
        if (ofB == null) {
          Link made = new Link(a, b, b.self());
          b.ties().addLink(made, b);
          a.ties().addLink(made, a);
        } else if (ofB.isAbnormal()) {
          broken = a.ties().addBroken(new Link(a, b, b.self()), ofB);
        }
      }
    } finally {
      unlockBoth(a, b);
    }
    checkOpen(ofA, "be linked");
    tellOfBroken(broken, ofB);
  }

  /// As [#link], to a process of which only its exit is known.
  public static void linkGone(Owner a, Exit exit) {
    Ties ties = a.ties();
    Exit ofA;
    Link broken = null;
    ties.lock.lock();
    try {
      ofA = ties.exit;
      if (ofA == null && !ties.isLinkedTo(exit.pid())) {
        broken = ties.addBroken(new Link(a, null, exit.pid()), exit);
      }
    } finally {
      ties.lock.unlock();
    }
    checkOpen(ofA, "be linked");
    tellOfBroken(broken, exit);
  }

  private static void tellOfBroken(@Nullable Link broken, @Nullable Exit exit) {
    if (broken != null && exit != null) {
      broken.maker.linkBroken(broken, exit, broken.isBySignal);
    }
  }

  private boolean isLinkedTo(Pid other) {
    return links != null && links.containsKey(other);
  }

  private Link addBroken(Link made, Exit exit) {
    addLink(made, made.maker); // first: it may want memory
    made.breaks(made.maker, exit);
    return made;
  }

  /// Without a lock in hand: to write a message takes longer than they may be held.
  private static void checkOpen(@Nullable Exit exit, String what) {
    if (exit != null) {
      throw new IllegalStateException(exit.pid() + " has ended; it cannot " + what + " any more");
    }
  }

  /// Undoes a link, if there is one: its signal will not be seen any more, also when it is on its
  /// way. One that has ended undoes nothing.
  public static void unlink(Owner a, Owner b) {
    if (a == b) {
      return;
    }
    lockBoth(a, b);
    try {
      if (a.ties().exit == null) {
        a.ties().removeLink(b.self());
        b.ties().removeLink(a.self());
      }
    } finally {
      unlockBoth(a, b);
    }
  }

  /// As [#unlink], of a process of which only its address is known.
  public void unlinkGone(Pid other) {
    lock.lock();
    try {
      removeLink(other);
    } finally {
      lock.unlock();
    }
  }

  /// The signal of a broken link is about to be seen by its process.
  ///
  /// @return false when the link was undone
  public boolean takeLink(Link link, Owner owner) {
    Pid other = link.addressFor(owner);
    lock.lock();
    try {
      if (links == null || links.get(other) != link) {
        return false;
      }
      links.remove(other);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// The addresses of those that it is linked to, the first linked first.
  public List<Pid> links() {
    List<Pid> all = new ArrayList<>();
    lock.lock();
    try {
      if (links != null) {
        links.forEach((pid, link) -> {
          if (!link.isBroken) {
            all.add(pid);
          }
        });
      }
    } finally {
      lock.unlock();
    }
    return all;
  }

  /// One of them has ended: breaks the link where the other still has it.
  private static void endLink(Link link, Owner ended, Exit how) {
    Owner stays = link.partnerOf(ended);
    if (stays != null && stays.ties().breaks(link, stays, how)) {
      stays.linkBroken(link, how, link.isBySignal);
      link.isTold = true; // not before: where that lacks memory it is tried again
    }
  }

  /// @return whether its process has to be told
  private boolean breaks(Link link, Owner owner, Exit how) {
    Pid other = link.addressFor(owner);
    lock.lock();
    try {
      if (links == null || links.get(other) != link || link.isTold) {
        return false;
      }
      if (!how.isAbnormal()) {
        links.remove(other);
        return false;
      }
      link.breaks(owner, how);
      return true;
    } finally {
      lock.unlock();
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

  private void addLink(Link link, Owner owner) {
    if (links == null) {
      links = new LinkedHashMap<>(4);
    }
    links.put(link.addressFor(owner), link);
  }

  private void removeLink(Pid other) {
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

  /// The addresses of those that it monitors, one for each monitor, without those of which only
  /// their exit was known.
  public List<Pid> monitored() {
    List<Pid> all = new ArrayList<>();
    lock.lock();
    try {
      if (held != null) {
        held.forEach((_, target) -> {
          if (target != null) {
            all.add(target.self());
          }
        });
      }
    } finally {
      lock.unlock();
    }
    return all;
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
      held = new LinkedHashMap<>(4);
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

  /// The process has ended: tells all that are tied to it, and gives its names back. Called again
  /// with the same exit it goes on where that has thrown.
  ///
  /// @return false when that was said before
  public boolean exited(Owner owner, Exit how, NameRegistry registry) {
    Farewell rest = leave(how);
    if (rest == null) {
      return false;
    }
    rest.names().tell(name -> registry.release(name, owner));
    rest.held()
        .tell(monitor -> {
          if (monitor.getValue() != null) {
            monitor.getValue().ties().removeWatch(owner, monitor.getKey());
          }
        });
    rest.links().tell(link -> endLink(link, owner, how));
    rest.watches().tell(watch -> watch.watcher().monitorFired(watch.reference(), how));
    rest.starters().tell(listener -> listener.accept(false));
    rest.listeners().tell(listener -> listener.accept(how));
    farewell = null;
    return true;
  }

  /// @return what is to be told, or null when that was done before
  private @Nullable Farewell leave(Exit how) {
    lock.lock();
    try {
      if (exit != null) {
        return exit == how ? farewell : null;
      }
      farewell = new Farewell(names, held, links, watches, starters, listeners); // may throw
      exit = how;
      links = null;
      watches = null;
      listeners = null;
      starters = null;
      held = null;
      names = null;
      return farewell;
    } finally {
      lock.unlock();
    }
  }
}
