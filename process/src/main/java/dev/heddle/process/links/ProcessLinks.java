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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The links, monitors and names of one process: its links, the monitors of it, the monitors that
/// it holds, and its names.
public final class ProcessLinks {
  /*
   * States of the links, monitors and names of a process.
   *
   * from    event                                to      by, with
   * OPEN    link, monitor, name; their removal   OPEN    any thread: under the lock
   * (none)  created after the exit was           EXITED  the thread that first asks for them
   *         notified
   * OPEN    exited()                             EXITED  the worker of the last step: under the
   *                                                      lock, final
   * EXITED  another process monitors it          same    the watcher is notified at once
   * EXITED  another process links to it          same    the other process is treated as if it had
   *                                                      been linked before
   * EXITED  it links, monitors, takes a name     same    refused: nothing would undo what this adds
   *                                                      to other processes
   *
   * States of a link, at the process that survives.
   *
   * from    event                                to      by, with
   * (none)  link()                               LINKED  any thread: for both processes, under both
   *                                                      locks
   * (none)  link() to one that has failed        BROKEN  any thread: under both locks; then this
   *                                                      process is notified
   * LINKED  unlink(), by either process          (none)  any thread: under both locks
   * LINKED  the other one has ended normally     (none)  the thread that notifies: under the lock
   *                                                      of this process; then linkEnded()
   * LINKED  the other one has failed             BROKEN  the same; this process decides what
   *                                                      follows, still under the lock
   * BROKEN  its signal is about to be delivered  (none)  the worker of this process: under its lock
   * BROKEN  unlink()                             (none)  any thread: under the lock; the signal is
   *                                                      no longer admitted
   * BROKEN  link()                               same    the signal on its way serves both
   *
   * A link is recorded at both processes, and both locks are held while it is made or undone, so
   * both sides agree. No thread waits for one lock while it holds the other: it releases the first
   * one before. So there is no deadlock, and a thread that wants only one lock never waits for a
   * third process. The exit takes one lock at a time: first that of the process itself, after which
   * nothing can be added to it, then that of each linked process.
   *
   * I1. Each monitor is notified of one exit, unless it was removed. [ProcessLinksTest, StressTest]
   * I2. A link is recorded at both processes or at none, except links to a process that has ended.
   *     [ProcessLinksTest]
   * I3. After unlink() has returned, no exit is decided over that link, and no signal of it is
   *     admitted. A link is broken under the lock under which unlink() removes it, and only if it
   *     is still recorded there. A link is an object, so a new link admits no signal of an old one.
   *     [LinksTest, ProcessLinksLincheckTest, ProcessLinksStress; mutant:
   *     ProcessLinksStress.TellsWhomItTook]
   * I4. If notifying lacks memory it stops, and continues there when exited() is called again: no
   *     receiver is left out or notified twice. [OutOfMemoryTest]
   *
   * I5. untied() of a process is called after the last link or monitor that another process has
   *     removed, whether by a call or by its own end. The process may have got another one
   *     meanwhile, and more than one removal may find none left. [StandInTest]
   *
   * Stand-ins. A process of another node is represented by an owner that no worker runs. It gets
   * links, monitors and listeners as any other, and exited() ends it once, with the exit that its
   * node reports or with NO_CONNECTION. It consumes the broken links itself. linkEnded() and
   * untied() are for it: its node must be told of a normal end too, and it is dropped when nothing
   * is tied to it. A process of this runtime ignores both.
   *
   * Under a lock no code is notified or woken. What a broken link does is decided there by a flag
   * and a CAS, without memory. P13; proc-139 to proc-156, proc-218.
   *
   * Rejected. A fixed order of the locks: a thread that holds the first and waits for the second
   * blocks all that want the first. Removing all links first and then notifying each process: it
   * may have undone its link meanwhile. Numbers for links: the object itself serves.
   */

  /// A process that has links, monitors and names.
  public interface Owner {
    ProcessLinks processLinks();

    Pid self();

    /// Decides what the abnormal exit of a linked process does to this one. Called under a lock, so
    /// it must not wait, allocate or call other code.
    ///
    /// @return true when it wants a signal; false when its own end is decided
    boolean decideLinkExit(Exit exit);

    /// Carries out what [#decideLinkExit] has decided.
    void applyLinkExit(Link link, Exit exit, boolean bySignal);

    /// A process that it monitors has ended.
    void monitorFired(long monitor, Exit exit);

    /// A linked process has ended normally: the link is removed already.
    default void linkEnded(Exit exit) {}

    /// Another process has removed its link to this one, or its monitor, and none is left; see
    /// [ProcessLinks#isTied]. Called without a lock, maybe more than once.
    default void untied() {}
  }

  /// A link between two processes. A new link is a new object.
  public static final class Link {
    final Owner maker;
    private final @Nullable Owner other; // null when only its exit is known
    private final Pid to;

    // under the lock of the process that survives
    boolean isBroken;
    boolean isEnded; // normally, and removed for that
    boolean isBySignal;

    // the thread that notifies of the exit
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

    /// Lets the surviving process decide. Under its lock.
    void breakFor(Owner stays, Exit how) {
      if (!isBroken) {
        isBroken = true;
        isBySignal = stays.decideLinkExit(how);
      }
    }
  }

  /// A monitor of one process by another.
  record Monitor(long reference, Owner watcher) {
    // Written out: the JVM links a record's generated methods at their first use, which takes more
    // stack than any StackGuard checks for. If that fails, no record of the program has them.

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
  private @Nullable Set<Consumer<Boolean>> startListeners; // until its init has returned
  private @Nullable Map<Long, @Nullable Owner> ownMonitors; // by reference: the monitored process
  private @Nullable List<String> names;
  private long lastReference;

  // the thread that notifies of the exit
  private @Nullable ExitNotices exitNotices;

  /// @param exit of the process, if it was notified already; else null
  public ProcessLinks(@Nullable Exit exit) {
    this.exit = exit;
  }

  // ---- links ----

  /// Links process `a` to process `b`. If `b` has failed already, `a` is notified.
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
    addLink(made, made.maker); // first: it may lack memory
    made.breakFor(made.maker, exit);
    return made;
  }

  /// Called without a lock: composing a message takes longer than a spin lock may be held.
  private static void checkOpen(@Nullable Exit exit, String what) {
    if (exit != null) {
      throw new IllegalStateException(exit.pid() + " has ended; it cannot " + what + " any more");
    }
  }

  /// Undoes a link, if there is one: its signal is no longer delivered, even if it is on its way. A
  /// process that has ended undoes nothing.
  public static void unlink(Owner a, Owner b) {
    if (a == b) {
      return;
    }
    boolean tiesA;
    boolean tiesB;
    lockBoth(a, b);
    try {
      if (a.processLinks().exit == null) {
        a.processLinks().removeLink(b.self());
        b.processLinks().removeLink(a.self());
      }
      tiesA = a.processLinks().hasTies();
      tiesB = b.processLinks().hasTies();
    } finally {
      unlockBoth(a, b);
    }
    notifyUntied(a, tiesA);
    notifyUntied(b, tiesB);
  }

  private static void notifyUntied(Owner owner, boolean isTied) {
    if (!isTied) {
      owner.untied();
    }
  }

  /// Whether anything waits for the end of its process: a link, a monitor or a listener. A process
  /// that has ended counts as tied, as its observers are notified once.
  public boolean isTied() {
    lock.lock();
    try {
      return hasTies();
    } finally {
      lock.unlock();
    }
  }

  /// Under the lock.
  private boolean hasTies() {
    return exit != null
        || (links != null && !links.isEmpty())
        || (monitors != null && !monitors.isEmpty())
        || (listeners != null && !listeners.isEmpty())
        || (startListeners != null && !startListeners.isEmpty());
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

  /// Called before the signal of a broken link is delivered to its process.
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

  /// The PIDs of the linked processes, in the order of linking.
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

  /// One process has ended: breaks the link, if the other one still has it.
  private static void endLink(Link link, Owner ended, Exit how) {
    Owner stays = link.otherOf(ended);
    if (stays == null || !stays.processLinks().breakLink(link, stays, how)) {
      return;
    }
    if (link.isEnded) {
      stays.linkEnded(how);
    } else {
      stays.applyLinkExit(link, how, link.isBySignal);
    }
    link.isConsumed = true; // last: if the call before lacks memory, it is called again
  }

  /// @return whether its process has to be notified
  private boolean breakLink(Link link, Owner owner, Exit how) {
    Pid other = link.addressFor(owner);
    lock.lock();
    try {
      if (links == null || links.get(other) != link || link.isConsumed) {
        return link.isEnded && !link.isConsumed; // then linkEnded() has lacked memory
      }
      if (!how.isAbnormal()) {
        links.remove(other);
        link.isEnded = true;
        return true;
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

  /// Notifies `watcher` when `target` ends; at once, if it has ended.
  ///
  /// @return a reference, unique for the watcher, for the event and for [#demonitor]
  /// @throws IllegalStateException when the watcher has ended
  public static long monitor(Owner watcher, Owner target) {
    return monitor(watcher, target, _ -> {});
  }

  /// The same.
  ///
  /// @param known is called with the reference before the watcher can be notified
  /// @return a reference, unique for the watcher, for the event and for [#demonitor]
  public static long monitor(Owner watcher, Owner target, LongConsumer known) {
    long reference = watcher.processLinks().addOwnMonitor(target);
    known.accept(reference);
    Exit exit = target.processLinks().addMonitor(new Monitor(reference, watcher));
    if (exit != null) {
      watcher.monitorFired(reference, exit);
    } else if (!watcher.processLinks().hasOwnMonitor(reference)) {
      removeMonitor(target, watcher, reference); // the watcher has ended meanwhile
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

  /// Removes a monitor: its event is no longer delivered, even if it is on its way.
  ///
  /// @return false when there is none, or its event was delivered
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
      removeMonitor(target, watcher, reference);
    }
    return true;
  }

  /// Called before the event of a monitor is delivered.
  ///
  /// @return false when the monitor was removed
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

  /// The PIDs of the monitored processes, one for each monitor, without those of which only the
  /// exit was known.
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
    checkOpen(known, "monitor a process");
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

  private static void removeMonitor(Owner target, Owner watcher, long reference) {
    ProcessLinks of = target.processLinks();
    boolean isTied;
    of.lock.lock();
    try {
      if (of.monitors != null) {
        of.monitors.remove(new Monitor(reference, watcher));
      }
      isTied = of.hasTies();
    } finally {
      of.lock.unlock();
    }
    notifyUntied(target, isTied);
  }

  /// Calls code that is no process with the exit; at once, if the process has ended.
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

  /// Removes a listener.
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

  /// Calls a listener with true when the process has started, or false when it ends before.
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

  /// Removes a listener.
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

  /// Called when the process has started: notifies the listeners.
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

  /// Records a name, to be released at the exit.
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

  /// The names, in the order of registration.
  public List<String> names() {
    lock.lock();
    try {
      return names == null ? List.of() : List.copyOf(names);
    } finally {
      lock.unlock();
    }
  }

  // ---- the exit ----

  /// Called when the process has ended: sends all exit notifications, and releases its names. If it
  /// throws, another call with the same exit continues there.
  ///
  /// @param release releases a name of an owner
  /// @return false when that was done before
  public boolean exited(Owner owner, Exit how, BiConsumer<String, Owner> release) {
    ExitNotices rest = leave(how);
    if (rest == null) {
      return false;
    }
    rest.names().notifyEach(name -> release.accept(name, owner));
    rest.held()
        .notifyEach(monitor -> {
          if (monitor.getValue() != null) {
            removeMonitor(monitor.getValue(), owner, monitor.getKey());
          }
        });
    rest.links().notifyEach(link -> endLink(link, owner, how));
    rest.watches().notifyEach(watch -> watch.watcher().monitorFired(watch.reference(), how));
    rest.starters().notifyEach(listener -> listener.accept(false));
    rest.listeners().notifyEach(listener -> listener.accept(how));
    exitNotices = null;
    return true;
  }

  /// @return the notifications to send, or null when that was done before
  private @Nullable ExitNotices leave(Exit how) {
    lock.lock();
    try {
      if (exit != null) {
        return exit == how ? exitNotices : null;
      }
      exitNotices = // may throw
          new ExitNotices(names, ownMonitors, links, monitors, startListeners, listeners);
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
