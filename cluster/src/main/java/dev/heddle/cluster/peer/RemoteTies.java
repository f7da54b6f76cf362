// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.links.ProcessLinks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The links and monitors between the processes of this node and those of another, in one session.
final class RemoteTies {
  /*
   * Each node has a stand-in for each process of the other node that processes here are tied to,
   * and a watch for each process here that the other node wants to know the end of.
   *
   * States of a stand-in, of process r of the other node.
   *
   * from  event                              to    by, with
   * none  monitor, whenExited                TIED  any thread: under the lock; sends MONITOR(r)
   * none  a start that monitors has answered TIED  the session: the other node monitors already
   * none  link(w, r)                         TIED  any thread: under the lock; sends LINK(w, r),
   *                                                watches w
   * none  LINK(r, w) comes                   TIED  the session: under the lock; watches w
   * TIED  more of that                       same  MONITOR once, LINK once a pair
   * TIED  unlink(w, r)                       same  any thread: under the lock; sends UNLINK(w, r)
   * TIED  UNLINK(r, w) comes                 same  the session: under the lock
   * TIED  nothing is tied to it any more     none  the thread that has removed the last tie:
   *                                                under the lock; sends DEMONITOR(r) if MONITOR
   *                                                was sent
   * TIED  DOWN(r) comes                      none  the session: removes it under the lock, then
   *                                                ends it with that exit
   * TIED  the session ends                   none  the session: the same, with NO_CONNECTION
   *
   * A watch of a process w here exists while the other node has monitored it (MONITOR until
   * DEMONITOR) or w is linked to at least one of its processes. The end of w sends DOWN(w) and
   * removes it. So DEMONITOR says nothing about links: a DEMONITOR that crosses a LINK removes no
   * watch that the link needs.
   *
   * Which UNLINK means which LINK. Both nodes may link and unlink the same pair at once. UNLINK
   * carries how many LINKs its sender has received; a pair remembers the number of the last LINK
   * that this node has sent for it. If that is greater, the sender of the UNLINK did not know this
   * link when it sent it, and will make it when LINK arrives: the UNLINK is ignored. Without that,
   * two crossing UNLINKs followed by a LINK of one side leave the link at one node only.
   *
   * DOWN(r) needs no such number. It is sent only when r has ended, which is true of every tie to
   * it, also of one that was made after DOWN was sent. The MONITOR of that tie is answered by
   * another DOWN, NOT_FOUND, which finds no stand-in.
   *
   * Threads. Ties are made and removed by any thread. Frames and the end of the session come from
   * one thread at a time, as RemoteNode sees to.
   *
   * I1. Each monitor reports one exit and each link breaks once: a stand-in leaves the map before
   *     it ends, and ends by ProcessLinks.exited, which notifies each tie once. Ties are made only
   *     to stand-ins in the map, under the lock. [RemoteTiesRandomTest: C4]
   * I2. After the end of the session the maps stay empty. [RemoteTiesRandomTest]
   * I3. Frames about ties are sent under the lock, so their order is that of the changes.
   * I4. When all ties are gone, no stand-in and no watch is left. [RemoteTiesRandomTest]
   *
   * Locks. Under the lock: ProcessLinks, whose locks are held for some instructions, and the sink.
   * Not under it: exits and what they notify, and code of the program, since the end of the session
   * spins for the lock. The text of an exit is such code: a failure makes its message, a codec
   * encodes a detail. It may throw, and then the exit is told without it (Failures): a watch that
   * tells nothing would keep the ties of the other node for good.
   *
   * What fails. Each stand-in is ended, also when the end of another one fails. One whose end was
   * told to some only, as memory was lacking, is continued after a pause, with the same exit, until
   * all are told (I4 of ProcessLinks; RetriedTask). It has left the map, so nobody else ends it.
   * The end of the session takes both maps whole, and continues with what is left in them. The
   * fields are Map.of() then, where a put would throw (I2).
   * [RemoteWatchesTest]
   *
   * So a watch is added under the lock and listens after it. A process that has ended tells its
   * exit then. Two things may happen in between:
   *   the watch is dropped    A drop takes the watch from the map first and its listener then. So
   *                           the thread that has added the listener looks into the map, and takes
   *                           the listener back if the watch is not there.
   *   the process ends, and   DOWN is sent when the watch listens. A LINK or MONITOR that comes
   *   cannot be found         before is added to the watch. DOWN with NOT_FOUND would overtake the
   *                           real exit, and end all ties of the other node.
   * [RemoteWatchesTest]
   *
   * A process that links again while the signal of an older, broken link to the same process is on
   * its way has one signal for both, as ProcessLinks says.
   */

  /// A process here whose end the other node wants to know.
  private static final class Watch {
    final ProcessLinks.Owner owner;
    final Consumer<Exit> listener;
    boolean isMonitored;
    final Set<Pid> linked = new HashSet<>(2);

    Watch(RemoteTies ties, ProcessLinks.Owner owner) {
      this.owner = owner;
      this.listener = exit -> ties.watchedEnded(this, exit);
    }

    boolean isNeeded() {
      return isMonitored || !linked.isEmpty();
    }
  }

  private final RemoteContext context;
  private final PeerLock lock = new PeerLock();

  // under the lock
  private Map<Pid, StandIn> standIns = new HashMap<>();
  private Map<Pid, Watch> watches = new HashMap<>();
  private long linksSent;
  private long linksReceived;
  private boolean ended;

  // under the lock of the delivery; what the end of the session has not ended yet
  private Map<Pid, StandIn> lastStandIns = Map.of();
  private Map<Pid, Watch> lastWatches = Map.of();

  RemoteTies(RemoteContext context) {
    this.context = context;
  }

  // ---- what processes here do ----

  /// As [dev.heddle.process.remote.NodePeer#link].
  void link(ProcessLinks.Owner one, Pid other) {
    Exit missing = missing(other);
    Watch added = null;
    if (missing == null) {
      lock.lock();
      try {
        missing = ended ? lost(other) : null;
        if (!ended) {
          added = makeLink(one, other);
        }
      } finally {
        lock.unlock();
      }
    }
    if (missing != null) {
      ProcessLinks.linkToEnded(one, missing);
    }
    listen(added);
  }

  /// @return the watch of a process that was not watched before
  private @Nullable Watch makeLink(ProcessLinks.Owner one, Pid other) {
    StandIn target = standIn(other);
    if (target.linked.containsKey(one.self())) {
      return null;
    }
    try {
      ProcessLinks.link(one, target);
    } catch (IllegalStateException e) { // `one` has ended
      untied(target);
      throw e;
    }
    target.linked.put(one.self(), ++linksSent);
    context.send(new Frame.Link(one.self(), other));
    return watchLinked(one, other);
  }

  /// As [dev.heddle.process.remote.NodePeer#unlink].
  void unlink(ProcessLinks.Owner one, Pid other) {
    lock.lock();
    try {
      StandIn standIn = standIns.get(other);
      if (standIn != null) {
        if (standIn.linked.remove(one.self()) != null) {
          unwatchLinked(one.self(), other);
          context.send(new Frame.Unlink(one.self(), other, linksReceived));
        }
        ProcessLinks.unlink(one, standIn);
      }
    } finally {
      lock.unlock();
    }
    one.processLinks().unlinkEnded(other); // a broken link, whose signal is on its way
  }

  /// As [dev.heddle.process.remote.NodePeer#monitor].
  long monitor(ProcessLinks.Owner watcher, Pid target, LongConsumer known) {
    Exit missing = missing(target);
    if (missing == null) {
      lock.lock();
      try {
        missing = ended ? lost(target) : null;
        if (missing == null) {
          return makeMonitor(watcher, monitored(target), known);
        }
      } finally {
        lock.unlock();
      }
    }
    return ProcessLinks.monitorEnded(watcher, missing, known);
  }

  private long makeMonitor(ProcessLinks.Owner watcher, StandIn target, LongConsumer known) {
    try {
      return ProcessLinks.monitor(watcher, target, known);
    } finally {
      untied(target); // if the watcher has ended
    }
  }

  /// As [dev.heddle.process.remote.NodePeer#whenExited].
  CompletableFuture<Exit> whenExited(Pid target) {
    CompletableFuture<Exit> exit = new CompletableFuture<>();
    Exit missing = missing(target);
    if (missing == null) {
      lock.lock();
      try {
        missing = ended ? lost(target) : null;
        if (missing == null) {
          listen(monitored(target), exit);
        }
      } finally {
        lock.unlock();
      }
    }
    if (missing != null) {
      exit.complete(missing);
    }
    return exit;
  }

  private void listen(StandIn target, CompletableFuture<Exit> exit) {
    Consumer<Exit> listener = exit::complete;
    target.processLinks().onExit(listener);
    var _ =
        exit.whenComplete((_, _) -> {
          target.processLinks().offExit(listener); // when it was given up
          untied(target);
        });
  }

  /// A process of another life than that of the session has ended for sure.
  private @Nullable Exit missing(Pid pid) {
    return context.isOfOther(pid) ? null : new Exit(pid, Exit.Reason.NOT_FOUND, null, null);
  }

  private static Exit lost(Pid pid) {
    return new Exit(pid, Exit.Reason.NO_CONNECTION, null, null);
  }

  // ---- stand-ins, under the lock ----

  private StandIn standIn(Pid pid) {
    return standIns.computeIfAbsent(pid, it -> new StandIn(this, it, context.local().callbacks()));
  }

  private StandIn monitored(Pid pid) {
    StandIn standIn = standIn(pid);
    if (!standIn.isMonitored) {
      standIn.isMonitored = true;
      context.send(new Frame.Monitor(pid));
    }
    return standIn;
  }

  /// Drops a stand-in, if nothing is tied to it.
  void untied(StandIn standIn) {
    lock.lock();
    try {
      if (standIns.get(standIn.self()) == standIn && !standIn.processLinks().isTied()) {
        standIns.remove(standIn.self());
        if (standIn.isMonitored) {
          context.send(new Frame.Demonitor(standIn.self()));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- watches, under the lock ----

  private Watch watch(ProcessLinks.Owner owner) {
    return watches.computeIfAbsent(owner.self(), _ -> new Watch(this, owner));
  }

  /// A process that is watched, also if it could not be found: it has ended, and its watch is about
  /// to tell how.
  private ProcessLinks.@Nullable Owner watchedOr(ProcessLinks.@Nullable Owner found, Pid pid) {
    Watch watch = watches.get(pid);
    return watch == null ? found : watch.owner;
  }

  /// Watches a process because of a link.
  ///
  /// @return the watch, if it is new: [#listen] is to follow without the lock
  private @Nullable Watch watchLinked(ProcessLinks.Owner owner, Pid other) {
    Watch watch = watch(owner);
    boolean isNew = !watch.isNeeded();
    watch.linked.add(other);
    return isNew ? watch : null;
  }

  /// Watches a process because of a monitor. Otherwise as [#watchLinked].
  private @Nullable Watch watchMonitored(ProcessLinks.@Nullable Owner found, Pid target) {
    ProcessLinks.Owner owner = watchedOr(found, target);
    if (owner == null) {
      sayNotFound(target);
      return null;
    }
    Watch watch = watch(owner);
    boolean isNew = !watch.isNeeded();
    watch.isMonitored = true;
    return isNew ? watch : null;
  }

  /// Listens for the end of a process. Without the lock: one that has ended tells at once.
  private void listen(@Nullable Watch added) {
    if (added == null) {
      return;
    }
    ProcessLinks links = added.owner.processLinks();
    links.onExit(added.listener);
    boolean isNeeded;
    lock.lock();
    try {
      isNeeded = watches.get(added.owner.self()) == added;
    } finally {
      lock.unlock();
    }
    if (!isNeeded) { // it was dropped meanwhile
      links.offExit(added.listener);
    }
  }

  private void unwatchLinked(Pid local, Pid other) {
    Watch watch = watches.get(local);
    if (watch != null && watch.linked.remove(other)) {
      dropUnneeded(watch);
    }
  }

  private void dropUnneeded(Watch watch) {
    if (!watch.isNeeded()) {
      watches.remove(watch.owner.self());
      watch.owner.processLinks().offExit(watch.listener);
    }
  }

  /// A process here has ended. On the worker of its last step, after all that it has sent.
  private void watchedEnded(Watch watch, Exit exit) {
    Pid pid = watch.owner.self();
    Frame.ExitText text = context.contents().text(exit);
    lock.lock();
    try {
      if (watches.get(pid) != watch) {
        return;
      }
      watches.remove(pid);
      for (Pid other : watch.linked) {
        StandIn standIn = standIns.get(other);
        if (standIn != null) {
          standIn.linked.remove(pid);
        }
      }
      context.send(new Frame.Down(pid, text));
    } finally {
      lock.unlock();
    }
  }

  // ---- what the other node says ----

  void onMonitor(Pid target) {
    ProcessLinks.Owner owner = context.local().find(target);
    Watch added;
    lock.lock();
    try {
      added = ended ? null : watchMonitored(owner, target);
    } finally {
      lock.unlock();
    }
    listen(added);
  }

  private void sayNotFound(Pid target) {
    context.send(
        new Frame.Down(target, new Frame.ExitText(Exit.Reason.NOT_FOUND, null, null, null)));
  }

  void onDemonitor(Pid target) {
    lock.lock();
    try {
      Watch watch = watches.get(target);
      if (watch != null) {
        watch.isMonitored = false;
        dropUnneeded(watch);
      }
    } finally {
      lock.unlock();
    }
  }

  void onLink(Pid from, Pid to) {
    ProcessLinks.Owner found = context.local().find(to);
    Watch added;
    lock.lock();
    try {
      if (ended) {
        return;
      }
      linksReceived++;
      ProcessLinks.Owner owner = watchedOr(found, to);
      if (owner == null) {
        sayNotFound(to);
        return;
      }
      StandIn standIn = standIn(from);
      try {
        ProcessLinks.link(owner, standIn);
        standIn.linked.putIfAbsent(owner.self(), 0L);
      } catch (IllegalStateException _) {
        untied(standIn); // `to` has just ended: its watch says how
      }
      added = watchLinked(owner, from);
    } finally {
      lock.unlock();
    }
    listen(added);
  }

  void onUnlink(Pid from, Pid to, long seen) {
    ProcessLinks.Owner owner = context.local().find(to);
    lock.lock();
    try {
      StandIn standIn = standIns.get(from);
      Long made = standIn == null ? null : standIn.linked.get(to);
      if (standIn == null || made == null || made > seen) {
        return;
      }
      standIn.linked.remove(to);
      unwatchLinked(to, from);
      if (owner != null) {
        ProcessLinks.unlink(owner, standIn);
      }
    } finally {
      lock.unlock();
    }
  }

  void onDown(Pid pid, Exit exit) {
    StandIn standIn;
    lock.lock();
    try {
      if (ended) {
        return; // a codec of the program has ended the session while it decoded the exit
      }
      standIn = standIns.remove(pid);
      if (standIn != null) {
        standIn.linked.keySet().forEach(local -> unwatchLinked(local, pid));
        standIn.linked.clear();
      }
    } finally {
      lock.unlock();
    }
    if (standIn != null) {
      standIn.exited(exit);
    }
  }

  // ---- starts ----

  /// Answers a start, and watches the process then: a DOWN before the answer would be ignored. The
  /// thread of the start calls this, maybe after the end of the session: the other node takes the
  /// process for lost, and a watch would stay for good.
  void answerMonitoredStart(Frame.Spawned answer) {
    ProcessLinks.Owner owner = context.local().find(answer.pid());
    Watch added;
    lock.lock();
    try {
      if (ended) {
        return;
      }
      context.send(answer);
      added = watchMonitored(owner, answer.pid());
    } finally {
      lock.unlock();
    }
    listen(added);
  }

  /// A start that monitors was answered: the other node watches the process already.
  ///
  /// @param parent monitors the process; null when it has ended
  void onMonitoredStart(ProcessLinks.@Nullable Owner parent, Pid started) {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      StandIn standIn = standIn(started);
      standIn.isMonitored = true;
      if (parent == null) {
        untied(standIn);
      } else {
        var _ = makeMonitor(parent, standIn, _ -> {});
      }
    } catch (IllegalStateException _) {
      return; // safe: the parent has ended, nothing is to be told
    } finally {
      lock.unlock();
    }
  }

  // ---- the end ----

  /// The session has ended: ends all stand-ins and forgets all watches. If it throws, another call
  /// continues there.
  void ended() {
    lock.lock();
    try {
      if (!ended) {
        ended = true;
        lastStandIns = standIns;
        lastWatches = watches;
        standIns = Map.of();
        watches = Map.of();
      }
    } finally {
      lock.unlock();
    }
    for (Iterator<StandIn> each = lastStandIns.values().iterator(); each.hasNext(); ) {
      each.next().exited(null);
      each.remove();
    }
    for (Iterator<Watch> each = lastWatches.values().iterator(); each.hasNext(); ) {
      Watch watch = each.next();
      watch.owner.processLinks().offExit(watch.listener);
      each.remove();
    }
  }

  /// How many processes of the other node have a stand-in here.
  int standIns() {
    lock.lock();
    try {
      return standIns.size();
    } finally {
      lock.unlock();
    }
  }

  /// How many processes here are watched for the other node.
  int watches() {
    lock.lock();
    try {
      return watches.size();
    } finally {
      lock.unlock();
    }
  }
}
