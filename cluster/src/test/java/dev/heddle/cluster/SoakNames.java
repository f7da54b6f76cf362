// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.name.NameService;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Processes of this node that race for names with those of the other nodes, and act while they own
/// one.
///
/// An owner acts in steps. Half of them ask for their token before each deed, the others go on
/// until they are ended; half of them end at `Cancel`, the others are terminated. The times of
/// their deeds, by the monotonic clock of the machine, are said in lines `ACTS NAME TOKEN FROM TO`,
/// from which [SoakOwners] finds overlaps (C6), also of a node that is killed later.
///
/// Each owner writes to a resource outside of the cluster, too, which refuses a token lower than
/// one it has seen. One that has lost its name against its will, as its node was stopped or cut
/// off, writes on with the token that it had, until that is refused, as a deed does that was on its
/// way: so the resource has something to refuse.
final class SoakNames {
  static final String PREFIX = "race";
  static final List<String> NAMES = List.of("race0", "race1", "race2", "race3");

  private static final long PAUSE_NANOS = 100_000_000;
  private static final long TICK_NANOS = 20_000_000;
  private static final long SAY_NANOS = 200_000_000;
  private static final long GAP_NANOS = 100_000_000; // longer without a deed: another interval
  private static final int MOST_HELD_MILLIS = 6_000;
  private static final long LATE_NANOS = 10_000_000_000L; // others get the name 3 s later
  private static final String TICK = "tick";
  private static final String END = "end";

  private final Cluster cluster;
  private final Path directory;
  private final NameService service;
  private final SoakDeeds deeds;
  private final AtomicInteger holding = new AtomicInteger();
  private final AtomicInteger lostLeases = new AtomicInteger();
  private volatile boolean running;
  private volatile boolean clinging;

  /// @param directory that all nodes share: of the resource
  /// @param deeds where the loss of a lease is written
  SoakNames(Cluster cluster, Path directory, SoakDeeds deeds) {
    this.cluster = cluster;
    this.directory = directory;
    this.deeds = deeds;
    this.service = cluster.nameService();
    for (String name : NAMES) {
      Thread.ofPlatform().daemon().name("racer-" + name).start(new Racer(name));
    }
    Thread.ofPlatform().daemon().name("lease").start(this::watchLease);
  }

  void run(boolean on) {
    running = on;
  }

  /// Whether owners keep their names until they lose them.
  ///
  /// @return how many names processes of this node own now
  int cling(boolean on) {
    clinging = on;
    return holding.get();
  }

  /// `HELD LOST LEADS`: whether it has a lease now, how many it has lost, whether it leads.
  String lease() {
    return "%s %d %s".formatted(isHeld(), lostLeases.get(), service.isLeader());
  }

  /// Who has each name, as far as this node knows.
  String owners() {
    StringBuilder all = new StringBuilder();
    for (String name : NAMES) {
      try {
        all.append(name).append('=').append(cluster.names().lookup(name)).append(' ');
      } catch (NoQuorumException _) {
        all.append(name).append(" unknown at ").append(cluster.name()).append(' ');
      }
    }
    return all.toString().strip();
  }

  /// Who has each name, says a majority.
  String ownersByMajority() throws InterruptedException {
    StringBuilder all = new StringBuilder();
    for (String name : NAMES) {
      try {
        all.append(name).append('=').append(cluster.names().whereis(name)).append(' ');
      } catch (NoQuorumException _) {
        all.append(name).append(" without a majority at ").append(cluster.name()).append(' ');
      }
    }
    return all.toString().strip();
  }

  private boolean isHeld() {
    return service.mayAct(service.admission());
  }

  private void watchLease() {
    boolean wasHeld = false;
    while (true) {
      LockSupport.parkNanos(TICK_NANOS);
      boolean held = isHeld();
      if (wasHeld && !held) {
        lostLeases.incrementAndGet();
        deeds.happened(SoakDeeds.Kind.LEASE_LOST, cluster.name(), 0, 0);
      }
      wasHeld = held;
    }
  }

  /// Takes a name, holds it for a while, and gives it back, again and again.
  private final class Racer implements Runnable {
    private final String name;
    private final Random random = new Random();
    private final SoakResource resource;

    Racer(String name) {
      this.name = name;
      this.resource = new SoakResource(directory.resolve(name));
    }

    @Override
    public void run() {
      while (true) {
        LockSupport.parkNanos(random.nextLong(PAUSE_NANOS));
        try {
          if (running && (random.nextInt(10) == 0 || cluster.names().lookup(name) == null)) {
            race();
          }
        } catch (NoQuorumException _) {
          // safe: the node is cut off, or has just started
        } catch (InterruptedException | IOException | RuntimeException e) {
          SoakNode.violation("a racer for " + name + " failed: " + e);
        }
      }
    }

    private void race() throws InterruptedException, IOException {
      Owner owner = new Owner(name, random.nextInt(4));
      Pid pid = cluster.runtime().spawn(owner);
      long called = System.nanoTime();
      try {
        owner.token = cluster.names().register(name, pid);
      } catch (NameTakenException | NoQuorumException | IllegalArgumentException _) {
        // safe: it is not owned; the process may have ended when the node left meanwhile
        cluster.runtime().terminate(pid);
        return;
      }
      NodeProgram.say(
          "GRANTED %s %d %d %d".formatted(name, owner.token, called, System.nanoTime()));
      holding.incrementAndGet();
      try {
        if (hold(owner, pid)) {
          writeLate(owner);
        }
      } finally {
        holding.decrementAndGet();
        owner.say();
      }
    }

    /// @return whether it was ended against its will
    private boolean hold(Owner owner, Pid pid) throws InterruptedException, IOException {
      var exited = cluster.runtime().whenExited(pid);
      long until = System.nanoTime() + random.nextInt(MOST_HELD_MILLIS) * 1_000_000L;
      long said = System.nanoTime();
      owner.act(true);
      while (!exited.isDone() && (System.nanoTime() < until || !running || clinging)) {
        cluster.runtime().offer(pid, TICK);
        if (owner.mayAct()) {
          var _ = write(owner);
        }
        LockSupport.parkNanos(TICK_NANOS);
        if (System.nanoTime() - said > SAY_NANOS) {
          owner.say();
          said = System.nanoTime();
        }
      }
      owner.act(false); // before the name is given back
      if (exited.isDone()) {
        return true;
      }
      if (random.nextBoolean()) {
        var _ = cluster.names().unregister(name);
      }
      cluster.runtime().offer(pid, END);
      return false;
    }

    private void writeLate(Owner owner) throws IOException {
      long until = System.nanoTime() + LATE_NANOS;
      while (System.nanoTime() < until && write(owner)) {
        LockSupport.parkNanos(TICK_NANOS);
      }
    }

    /// @return false when it was refused
    private boolean write(Owner owner) throws IOException {
      boolean isIn = resource.write(owner.token, cluster.name());
      if (!isIn) {
        deeds.happened(SoakDeeds.Kind.STALE_REFUSED, cluster.name(), 0, 0);
        var now = cluster.names().token(name);
        if (now.isPresent() && now.getAsLong() == owner.token) {
          SoakNode.violation(
              "token: %d of the owner of %s was refused".formatted(owner.token, name));
        }
      }
      return isIn;
    }
  }

  private final class Owner implements Process {
    private final String name;
    private final boolean asks;
    private final boolean obeys;
    volatile long token;

    // under its monitor, for each step: none acts any more when it was told not to
    private boolean acts;
    private final List<long[]> deeds = new ArrayList<>();

    Owner(String name, int kind) {
      this.name = name;
      this.asks = kind % 2 == 0;
      this.obeys = kind / 2 == 0;
    }

    synchronized void act(boolean on) {
      acts = on;
    }

    synchronized boolean mayAct() {
      if (!acts || !asks) {
        return acts;
      }
      var now = cluster.names().token(name);
      return now.isPresent() && now.getAsLong() == token;
    }

    @Override
    public void init(ProcessContext context, String method, Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        boolean isCancel = event.data() instanceof ProcessSignal.Cancel;
        if (END.equals(event.data()) || (isCancel && obeys)) {
          act(false);
          out.done("told to");
          return;
        }
        if (TICK.equals(event.data())) {
          act();
        }
      }
    }

    private synchronized void act() {
      if (!mayAct()) {
        return;
      }
      long now = System.nanoTime();
      if (deeds.isEmpty() || now - deeds.getLast()[1] > GAP_NANOS) {
        deeds.add(new long[] {now, now});
      } else {
        deeds.getLast()[1] = now;
      }
    }

    synchronized void say() {
      for (long[] each : deeds) {
        NodeProgram.say("ACTS %s %d %d %d".formatted(name, token, each[0], each[1]));
      }
      if (deeds.size() > 1) {
        deeds.subList(0, deeds.size() - 1).clear();
      }
    }
  }
}
