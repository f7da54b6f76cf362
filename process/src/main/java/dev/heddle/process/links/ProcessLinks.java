// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import dev.heddle.internal.SpinLock;
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
public final class ProcessLinks {
  /*
   * States of the ties of a process.
   *   from    event                              to      who, order
   *   OPEN    link, monitor, name, their ends    OPEN    any thread: under the lock
   *   (none)  made after the exit was told       EXITED  the first who asks, with that exit
   *   OPEN    exited()                           EXITED  the worker of its last step: under the
   *                                                      lock, for ever
   *   EXITED  monitor                            same    the watcher is told of the exit at once
   *   EXITED  link                               same    the other process is treated as if it had
   *                                                      been linked before
   *   EXITED  it links, monitors, takes a name   same    refused: nobody would take back what it
   *                                                      adds to others
   *
   * States of a link, at the process that stays.
   *   from    event                              to      who, order
   *   (none)  link()                             LINKED  any thread: in the ties of both, under
   *                                                      both locks
   *   (none)  link() to one that has failed      BROKEN  any thread: under both locks; then this
   *                                                      process is told
   *   LINKED  unlink(), of either process        (none)  any thread: under both locks
   *   LINKED  the other one has ended normally   (none)  who tells of that: under the lock of this
   *                                                      process
   *   LINKED  the other one has failed           BROKEN  the same: this process decides what that
   *                                                      does to it, still under the lock
   *   BROKEN  its signal is about to be seen     (none)  the worker of this process: under its lock
   *   BROKEN  unlink()                           (none)  any thread: under the lock; its signal is
   *                                                      not admitted any more
   *   BROKEN  link()                             same    the signal on its way tells
   *
   * A link stands in the ties of both; both locks are held while it is made or undone, so both
   * sides agree. Nobody waits for one of them with the other in hand, but gives that one back
   * first: so there is no circle, and whoever wants only the other never waits for a third. The
   * exit takes one lock at a time: first its own, after which nothing can be added to it, then
   * that of each process it is linked to.
   *
   * I1. Each monitor is told of one exit, unless it was taken back. [ProcessLinksTest, StressTest]
   * I2. A link is in both ties or in none, but for those to a process that has ended.
   *     [ProcessLinksTest]
   * I3. After unlink() has returned no end of that link is decided, and no signal of it is
   *     admitted: a link is broken under the same lock under which unlink() takes it away, and
   *     only where it is found there. A link is an object, so one that is made anew admits no
   *     signal of the old one. [LinksTest, ProcessLinksLincheckTest, ProcessLinksStress; mutant:
   *     ProcessLinksStress.TellsWhomItTook]
   * I4. Where telling lacks memory it stops, and goes on there when exited() is called again:
   *     nobody is left out or told twice. [OutOfMemoryTest]
   *
   * Under a lock nobody is told anything, nor woken. What a broken link does is decided there by a
   * flag and a CAS, without memory. P13; proc-139 to proc-156, proc-218.
   *
   * Rejected. An order of the locks: who has the first and waits for the second holds up all who
   * want the first. To take all links out and tell each of those processes: it may have undone the
   * link meanwhile. Numbers of links: an object does as well, and is there.
   */

  /// Whoever has ties.
  public interface Owner {
    /// Its ties.
    ProcessLinks processLinks();

    /// Its address.
    Pid self();

    /// A process to which it is linked has ended other than normally: decides what that does to it.
    /// Under a lock, so it neither waits, nor allocates, nor calls others.
    ///
    /// @return true when it wants to be told by a signal; false when its own end is decided
    boolean decideLinkExit(Exit exit);

    /// Carries out what [#decideLinkExit] has said.
    void applyLinkExit(Link link, Exit exit, boolean bySignal);

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
    boolean isConsumed;

    Link(Owner maker, @Nullable Owner other, Pid to) {
      this.maker = maker;
      this.other = other;
      this.to = to;
    }

    @Nullable Owner otherOf(Owner one) {
      return one == maker ? other : maker;
    }

    Pid addressFor(Owner one) {
      return one == maker ? to : maker.self();
    }

    /// Lets the process that stays decide. Under its lock.
    void breakFor(Owner stays, Exit how) {
      if (!isBroken) {
        isBroken = true;
        isBySignal = stays.decideLinkExit(how);
      }
    }
  }

  /// A monitor of one process by another.
  record Monitor(long reference, Owner watcher) {
    // Methods of its own: those of a record are linked at their first use, which takes more stack
    // than anybody looks for; where it fails, no record of the program has any.

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Monitor(long r, Owner w) && r == reference && w == watcher;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(reference) * 31 + System.identityHashCode(watcher);
    }
  }

  private final SpinLock lock = new SpinLock();

  // under the lock
  private @Nullable Exit exit;
  private @Nullable Map<Pid, Link> links; // by the address of the other
  private @Nullable Set<Monitor> monitors;
  private @Nullable Set<Consumer<Exit>> listeners;
  private @Nullable Set<Consumer<Boolean>> startListeners; // wait for the end of its init
  private @Nullable Map<Long, @Nullable Owner> ownMonitors; // by the reference: whom it monitors
  private @Nullable List<String> names;
  private long lastReference;

  // who tells of the exit
  private @Nullable ExitNotices exitNotices;

  /// Ties of a process.
  ///
  /// @param exit its end, when that was told before it had any; else null
  public ProcessLinks(@Nullable Exit exit) {
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
      ofA = a.processLinks().exit;
      ofB = b.processLinks().exit;
      if (ofA == null && !a.processLinks().isLinkedTo(b.self())) {
        if (ofB == null) {
          Link made = new Link(a, b, b.self());
          b.processLinks().addLink(made, b);
          a.processLinks().addLink(made, a);
        } else if (ofB.isAbnormal()) {
          broken = a.processLinks().addBroken(new Link(a, b, b.self()), ofB);
        }
      }
    } finally {
      unlockBoth(a, b);
    }
    checkOpen(ofA, "be linked");
    notifyBroken(broken, ofB);
  }

  /// As [#link], to a process of which only its exit is known.
  public static void linkToEnded(Owner a, Exit exit) {
    ProcessLinks processLinks = a.processLinks();
    Exit ofA;
    Link broken = null;
    processLinks.lock.lock();
    try {
      ofA = processLinks.exit;
      if (ofA == null && !processLinks.isLinkedTo(exit.pid())) {
        broken = processLinks.addBroken(new Link(a, null, exit.pid()), exit);
      }
    } finally {
      processLinks.lock.unlock();
    }
    checkOpen(ofA, "be linked");
    notifyBroken(broken, exit);
  }

  private static void notifyBroken(@Nullable Link broken, @Nullable Exit exit) {
    if (broken != null && exit != null) {
      broken.maker.applyLinkExit(broken, exit, broken.isBySignal);
    }
  }

  private boolean isLinkedTo(Pid other) {
    return links != null && links.containsKey(other);
  }

  private Link addBroken(Link made, Exit exit) {
    addLink(made, made.maker); // first: it may want memory
    made.breakFor(made.maker, exit);
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
      if (a.processLinks().exit == null) {
        a.processLinks().removeLink(b.self());
        b.processLinks().removeLink(a.self());
      }
    } finally {
      unlockBoth(a, b);
    }
  }

  /// As [#unlink], of a process of which only its address is known.
  public void unlinkEnded(Pid other) {
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
  public boolean consumeLink(Link link, Owner owner) {
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
    Owner stays = link.otherOf(ended);
    if (stays != null && stays.processLinks().breakLink(link, stays, how)) {
      stays.applyLinkExit(link, how, link.isBySignal);
      link.isConsumed = true; // not before: where that lacks memory it is tried again
    }
  }

  /// @return whether its process has to be told
  private boolean breakLink(Link link, Owner owner, Exit how) {
    Pid other = link.addressFor(owner);
    lock.lock();
    try {
      if (links == null || links.get(other) != link || link.isConsumed) {
        return false;
      }
      if (!how.isAbnormal()) {
        links.remove(other);
        return false;
      }
      link.breakFor(owner, how);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private static void lockBoth(Owner a, Owner b) {
    SpinLock held = a.processLinks().lock;
    SpinLock wanted = b.processLinks().lock;
    held.lock();
    while (!wanted.tryLock()) {
      held.unlock();
      SpinLock next = wanted;
      wanted = held;
      held = next;
      held.lock();
    }
  }

  private static void unlockBoth(Owner a, Owner b) {
    a.processLinks().lock.unlock();
    b.processLinks().lock.unlock();
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
    long reference = watcher.processLinks().addOwnMonitor(target);
    known.accept(reference);
    Exit exit = target.processLinks().addMonitor(new Monitor(reference, watcher));
    if (exit != null) {
      watcher.monitorFired(reference, exit);
    } else if (!watcher.processLinks().hasOwnMonitor(reference)) {
      target.processLinks().removeMonitor(watcher, reference); // its end came before it was there
    }
    return reference;
  }

  /// As [#monitor], of a process of which only its exit is known.
  public static long monitorEnded(Owner watcher, Exit exit, LongConsumer known) {
    long reference = watcher.processLinks().addOwnMonitor(null);
    known.accept(reference);
    watcher.monitorFired(reference, exit);
    return reference;
  }

  /// Takes a monitor back: its event will not be seen any more, also when it is on its way.
  ///
  /// @return false when there is none, or its event was seen
  public static boolean demonitor(Owner watcher, long reference) {
    ProcessLinks processLinks = watcher.processLinks();
    Owner target;
    processLinks.lock.lock();
    try {
      if (processLinks.ownMonitors == null || !processLinks.ownMonitors.containsKey(reference)) {
        return false;
      }
      target = processLinks.ownMonitors.remove(reference);
    } finally {
      processLinks.lock.unlock();
    }
    if (target != null) {
      target.processLinks().removeMonitor(watcher, reference);
    }
    return true;
  }

  /// The event of a monitor is about to be seen.
  ///
  /// @return false when the monitor was taken back
  public boolean consumeMonitor(long reference) {
    lock.lock();
    try {
      if (ownMonitors == null || !ownMonitors.containsKey(reference)) {
        return false;
      }
      ownMonitors.remove(reference);
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
      if (ownMonitors != null) {
        ownMonitors.forEach((_, target) -> {
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

  private long addOwnMonitor(@Nullable Owner target) {
    Exit known;
    long reference;
    lock.lock();
    try {
      known = exit;
      reference = known == null ? putOwnMonitor(target) : 0;
    } finally {
      lock.unlock();
    }
    checkOpen(known, "monitor anybody");
    return reference;
  }

  private long putOwnMonitor(@Nullable Owner target) {
    if (ownMonitors == null) {
      ownMonitors = new LinkedHashMap<>(4);
    }
    ownMonitors.put(++lastReference, target);
    return lastReference;
  }

  private boolean hasOwnMonitor(long reference) {
    lock.lock();
    try {
      return ownMonitors != null && ownMonitors.containsKey(reference);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Exit addMonitor(Monitor watch) {
    lock.lock();
    try {
      if (exit == null) {
        if (monitors == null) {
          monitors = new LinkedHashSet<>(4);
        }
        monitors.add(watch);
      }
      return exit;
    } finally {
      lock.unlock();
    }
  }

  private void removeMonitor(Owner watcher, long reference) {
    lock.lock();
    try {
      if (monitors != null) {
        monitors.remove(new Monitor(reference, watcher));
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
        if (startListeners == null) {
          startListeners = new LinkedHashSet<>(2);
        }
        startListeners.add(listener);
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
      if (startListeners != null) {
        startListeners.remove(listener);
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
      waiting = startListeners == null ? Set.of() : startListeners;
      startListeners = null;
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
    ExitNotices rest = leave(how);
    if (rest == null) {
      return false;
    }
    rest.names().notifyEach(name -> registry.release(name, owner));
    rest.held()
        .notifyEach(monitor -> {
          if (monitor.getValue() != null) {
            monitor.getValue().processLinks().removeMonitor(owner, monitor.getKey());
          }
        });
    rest.links().notifyEach(link -> endLink(link, owner, how));
    rest.watches().notifyEach(watch -> watch.watcher().monitorFired(watch.reference(), how));
    rest.starters().notifyEach(listener -> listener.accept(false));
    rest.listeners().notifyEach(listener -> listener.accept(how));
    exitNotices = null;
    return true;
  }

  /// @return what is to be told, or null when that was done before
  private @Nullable ExitNotices leave(Exit how) {
    lock.lock();
    try {
      if (exit != null) {
        return exit == how ? exitNotices : null;
      }
      exitNotices =
          new ExitNotices(
              names, ownMonitors, links, monitors, startListeners, listeners); // may throw
      exit = how;
      links = null;
      monitors = null;
      listeners = null;
      startListeners = null;
      ownMonitors = null;
      names = null;
      return exitNotices;
    } finally {
      lock.unlock();
    }
  }
}
