// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One end of a connection between two runtimes in this JVM, which passes everything on at once.
///
/// For links and monitors each end has a stand-in for each process of the other end that processes
/// here are tied to, and watches the processes here that the other end has asked for.
class TestNode implements NodePeer {
  /// A message that can be made with another reply, as a decoder makes it.
  interface Carrier {
    Object with(Reply<@Nullable Object> reply);
  }

  private final LocalProcesses here;
  private final Object lock; // of both ends
  private @Nullable TestNode otherEnd;

  // under the lock
  final Map<Pid, StandIn> standIns = new HashMap<>();
  final Map<Pid, Consumer<Exit>> watched = new HashMap<>();
  final List<String> frames = new ArrayList<>(); // what this end has sent
  private boolean cut;

  TestNode(ProcessRuntime here, Object lock) {
    this.here = LocalProcesses.of(here);
    this.lock = lock;
  }

  /// Joins two runtimes.
  ///
  /// @return the end at the first one
  static TestNode join(ProcessRuntime one, ProcessRuntime two) {
    Object lock = new Object();
    return join(new TestNode(one, lock), new TestNode(two, lock));
  }

  static TestNode join(TestNode one, TestNode two) {
    one.otherEnd = two;
    two.otherEnd = one;
    one.here.addNode(two.here.address(1).node(), one);
    two.here.addNode(one.here.address(1).node(), two);
    return one;
  }

  TestNode otherEnd() {
    return Objects.requireNonNull(otherEnd);
  }

  /// Ends the connection.
  void cut() {
    cutHere();
    otherEnd().cutHere();
  }

  private void cutHere() {
    synchronized (lock) {
      cut = true;
      watched.clear();
      List.copyOf(standIns.keySet()).forEach(pid -> down(lost(pid)));
    }
  }

  private static Exit lost(Pid pid) {
    return new Exit(pid, Exit.Reason.NO_CONNECTION, null, null);
  }

  boolean hasNothing() {
    synchronized (lock) {
      return standIns.isEmpty() && watched.isEmpty();
    }
  }

  // ---- messages ----

  @Override
  public SendResult send(Pid to, @Nullable Object message) {
    if (cut) {
      return SendResult.UNREACHABLE;
    }
    if (!(message instanceof Request request)) {
      return otherEnd().here.offer(to, message);
    }
    CompletableFuture<@Nullable Object> answer =
        request.message() instanceof Carrier typed
            ? otherEnd().here.requestTyped(to, typed::with)
            : otherEnd().here.request(to, request.message());
    var _ =
        answer.whenComplete((result, failure) -> {
          var _ = failure == null ? here.complete(request, result) : here.fail(request, failure);
        });
    here.onClosed(request, () -> answer.cancel(false));
    return SendResult.ACCEPTED;
  }

  @Override
  public @Nullable CompletableFuture<@Nullable Void> room(Pid to) {
    return otherEnd().here.room(to);
  }

  @Override
  public void order(Pid target, ProcessOrder order) {
    if (cut) {
      throw new SendFailedException(target, SendResult.UNREACHABLE);
    }
    otherEnd().here.order(target, order);
  }

  // ---- links and monitors ----

  @Override
  public void link(ProcessLinks.Owner one, Pid other) {
    synchronized (lock) {
      if (one.processLinks().links().contains(other)) {
        return;
      }
      StandIn standIn = standIn(other);
      try {
        ProcessLinks.link(one, standIn);
      } finally {
        dropIfUntied(standIn);
      }
      if (!cut) {
        frames.add("LINK");
        watch(one.self());
        otherEnd().linked(one.self(), other);
      }
    }
  }

  private void linked(Pid from, Pid to) {
    ProcessLinks.Owner target = here.find(to);
    watch(to);
    StandIn standIn = standIn(from);
    if (target != null) {
      ProcessLinks.link(standIn, target);
    }
    dropIfUntied(standIn); // also tells the other end that nothing here is tied to that process
  }

  @Override
  public void unlink(ProcessLinks.Owner one, Pid other) {
    synchronized (lock) {
      if (!cut) {
        frames.add("UNLINK");
        otherEnd().unlinked(one.self(), other);
      }
      one.processLinks().unlinkEnded(other); // its signal may be on its way
      StandIn standIn = standIns.get(other);
      if (standIn != null) {
        ProcessLinks.unlink(standIn, one);
      }
    }
  }

  private void unlinked(Pid from, Pid to) {
    StandIn standIn = standIns.get(from);
    ProcessLinks.Owner target = here.find(to);
    if (standIn != null && target != null) {
      ProcessLinks.unlink(standIn, target);
    }
  }

  @Override
  public long monitor(ProcessLinks.Owner watcher, Pid target, LongConsumer known) {
    synchronized (lock) {
      StandIn standIn = standIn(target);
      try {
        return ProcessLinks.monitor(watcher, standIn, known);
      } finally {
        if (!dropIfUntied(standIn)) {
          requestWatch(target);
        }
      }
    }
  }

  @Override
  public CompletableFuture<Exit> whenExited(Pid target) {
    CompletableFuture<Exit> exit = new CompletableFuture<>();
    synchronized (lock) {
      StandIn standIn = standIn(target);
      Consumer<Exit> listener = exit::complete;
      standIn.processLinks.onExit(listener);
      var _ =
          exit.whenComplete((_, _) -> {
            standIn.processLinks.offExit(listener);
            standIn.untied();
          });
      requestWatch(target);
    }
    return exit;
  }

  @Override
  public CompletableFuture<Boolean> whenStarted(Pid target) {
    return cut
        ? CompletableFuture.completedFuture(false)
        : otherEnd().here.whenStarted(target).copy();
  }

  private void requestWatch(Pid target) {
    if (!cut) {
      frames.add("MONITOR");
      otherEnd().watch(target);
    }
  }

  private void watch(Pid pid) {
    ProcessLinks.Owner target = here.find(pid);
    if (target == null) {
      otherEnd().down(new Exit(pid, Exit.Reason.NOT_FOUND, null, null));
    } else if (!watched.containsKey(pid)) {
      Consumer<Exit> listener = this::ended;
      watched.put(pid, listener);
      target.processLinks().onExit(listener);
    }
  }

  private void ended(Exit exit) {
    synchronized (lock) {
      if (watched.remove(exit.pid()) != null) {
        frames.add("DOWN");
        otherEnd().down(exit);
      }
    }
  }

  private void down(Exit exit) {
    StandIn ended = standIns.remove(exit.pid());
    if (ended != null) {
      ended.processLinks.exited(ended, exit, (_, _) -> {});
    }
  }

  private StandIn standIn(Pid pid) {
    StandIn known = standIns.computeIfAbsent(pid, StandIn::new);
    if (cut) {
      down(lost(pid));
    }
    return known;
  }

  private boolean dropIfUntied(StandIn standIn) {
    synchronized (lock) {
      boolean isDropped =
          !standIn.processLinks.isTied() && standIns.remove(standIn.pid, standIn) && !cut;
      if (isDropped) {
        frames.add("DEMONITOR");
        otherEnd().forget(standIn.pid);
      }
      return isDropped;
    }
  }

  private void forget(Pid pid) {
    Consumer<Exit> listener = watched.remove(pid);
    ProcessLinks.Owner target = here.find(pid);
    if (listener != null && target != null) {
      target.processLinks().offExit(listener);
    }
  }

  /// Stands for a process of the other end.
  final class StandIn implements ProcessLinks.Owner {
    private final Pid pid;
    private final ProcessLinks processLinks = new ProcessLinks(null);

    StandIn(Pid pid) {
      this.pid = pid;
    }

    @Override
    public ProcessLinks processLinks() {
      return processLinks;
    }

    @Override
    public Pid self() {
      return pid;
    }

    @Override
    public boolean decideLinkExit(Exit exit) {
      return true;
    }

    /// The other end hears of that end by its watch.
    @Override
    public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {
      var _ = processLinks.consumeLink(link, this);
      untied();
    }

    @Override
    public void linkEnded(Exit exit) {
      untied();
    }

    @Override
    public void untied() {
      var _ = dropIfUntied(this);
    }

    @Override
    public void monitorFired(long monitor, Exit exit) {
      throw new IllegalStateException("it monitors nothing");
    }
  }
}
