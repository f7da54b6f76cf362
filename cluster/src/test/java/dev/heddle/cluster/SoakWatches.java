// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.DeadlineException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Processes that this node starts at others and watches, those that others start here, and members
/// of groups.
///
/// Each watch must report one end (C4): the second report of one is seen at once, a missing one
/// when all watched processes were told to end and the nodes are in touch. A process that is
/// watched watches its watcher in turn, and ends with it, so none is left over.
final class SoakWatches {
  private static final int MOST_OPEN = 60;
  private static final int GROUPS = 3;
  private static final int MOST_MEMBERS = 12;
  private static final long PAUSE_NANOS = 30_000_000;
  private static final String STOP = "stop";

  private static final AtomicInteger TARGETS = new AtomicInteger(); // that live here

  private final Cluster cluster;
  private final List<String> others;
  private final Home home = new Home();
  private final Pid homePid;
  private final Random random = new Random();
  private final AtomicInteger downs = new AtomicInteger();
  private volatile boolean running;
  private volatile boolean idle = true;

  // under the monitor of `open`
  private final Map<Long, Pid> open = new HashMap<>(); // watches that have not reported

  // of the thread
  private final List<Pid> members = new ArrayList<>();

  /// To the home: watch this one.
  private record Watch(Pid target) {}

  SoakWatches(Cluster cluster, List<String> others) {
    this.cluster = cluster;
    this.others = others;
    this.homePid = cluster.runtime().spawn(home);
    Thread.ofPlatform().daemon().name("watches").start(this::run);
  }

  void run(boolean on) {
    running = on;
  }

  int downs() {
    return downs.get();
  }

  /// Tells all watched processes to end.
  ///
  /// @return how many watches have not reported, and watched processes live here
  int settle() throws InterruptedException {
    while (!idle) {
      LockSupport.parkNanos(1_000_000);
    }
    List<Pid> left;
    synchronized (open) {
      left = List.copyOf(open.values());
    }
    left.forEach(target -> cluster.runtime().offer(target, STOP));
    return left.size() + home.unread.get() + TARGETS.get();
  }

  /// The groups, as this node sees them.
  String members() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < GROUPS; i++) {
      List<String> sorted =
          cluster.group("g" + i).members().stream().map(Pid::toString).sorted().toList();
      all.append("g").append(i).append(sorted).append(' ');
    }
    return all.toString();
  }

  private void run() {
    while (true) {
      LockSupport.parkNanos(random.nextLong(PAUSE_NANOS));
      idle = false;
      if (running) {
        act();
      }
      idle = !running;
    }
  }

  private void act() {
    try {
      watchOne();
      stopSome();
      changeMembers();
    } catch (RuntimeException e) {
      SoakNode.violation("a call failed: " + e);
    }
  }

  private void watchOne() {
    synchronized (open) {
      if (open.size() + home.unread.get() >= MOST_OPEN) {
        return;
      }
    }
    String at = others.get(random.nextInt(others.size()));
    try {
      Pid target =
          cluster.spawn("target", StartOptions.defaults().withInput(homePid), Place.on(at));
      home.unread.incrementAndGet();
      cluster.runtime().send(homePid, new Watch(target));
    } catch (StartRefusedException | DeadlineException | InterruptedException _) {
      // safe: nothing is watched; a target that was started nevertheless ends with the session
    }
  }

  private void stopSome() {
    synchronized (open) {
      for (Pid target : open.values()) {
        if (random.nextInt(2 * MOST_OPEN) == 0) {
          cluster.runtime().offer(target, STOP);
        }
      }
    }
  }

  private void changeMembers() {
    if (!members.isEmpty() && random.nextInt(MOST_MEMBERS) < members.size()) {
      cluster.runtime().send(members.remove(random.nextInt(members.size())), STOP);
    } else {
      Pid member = cluster.runtime().spawn(new Member());
      cluster.group("g" + random.nextInt(GROUPS)).join(member);
      members.add(member);
    }
  }

  /// Watches for this node.
  private final class Home implements Process {
    final AtomicInteger unread = new AtomicInteger();
    private ProcessContext context;

    @Override
    public void init(ProcessContext context, String method, Object input) {
      this.context = context;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Watch(Pid target)) {
          synchronized (open) {
            open.put(context.monitor(target), target);
          }
          unread.decrementAndGet();
        } else if (event.data() instanceof ProcessSignal.Down down) {
          reported(down);
        }
      }
    }

    private void reported(ProcessSignal.Down down) {
      downs.incrementAndGet();
      synchronized (open) {
        if (open.remove(down.monitor()) == null) {
          SoakNode.violation("watch: second DOWN of one monitor: " + down);
        }
      }
    }
  }

  /// A process that another node has started here.
  static final class Target implements Process {
    @Override
    public void init(ProcessContext context, String method, Object input) {
      TARGETS.incrementAndGet();
      context.monitor((Pid) input);
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (STOP.equals(event.data()) || event.data() instanceof ProcessSignal.Down) {
          TARGETS.decrementAndGet();
          out.done("told to");
          return;
        }
      }
    }
  }

  private static final class Member implements Process {
    @Override
    public void init(ProcessContext context, String method, Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (events.stream().anyMatch(it -> STOP.equals(it.data()))) {
        out.done("told to"); // the first step may have no events
      }
    }
  }
}
