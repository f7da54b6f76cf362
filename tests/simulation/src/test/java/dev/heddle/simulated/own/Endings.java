// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.DeadlineException;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import dev.heddle.simulated.program.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Processes that end in every way while others watch them: monitors, links, names, futures and
/// waits of threads, event subscriptions.
///
/// Each watcher is told once of each end. A linked process ends with the other one, unless it traps
/// exits; then it is told once. A name leads to a living process or to none.
final class Endings {
  private static final Duration LONG = Duration.ofMinutes(1);

  /// An event of the bus.
  private record News(int number) {}

  private final Random random = new Random();
  private final Queue<Pid> pids = new ConcurrentLinkedQueue<>();
  private final Queue<Life> lives = new ConcurrentLinkedQueue<>();
  private final List<CompletableFuture<Exit>> exits = new ArrayList<>();

  private Endings() {}

  /// A row of [OwnParts].
  static void run(Threads threads) {
    Endings program = new Endings();
    Runtimes.on(
        threads,
        ProcessRuntime.builder().workers(1 + program.random.nextInt(3)),
        runtime -> program.play(threads, runtime));
  }

  private void play(Threads threads, ProcessRuntime runtime) throws Exception {
    for (int i = 3 + random.nextInt(4); i > 0; i--) {
      spawn(runtime);
    }
    List<Thread> outside = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      Random chance = new Random(random.nextLong());
      outside.add(threads.start(() -> actOutside(runtime, chance)));
    }
    for (Pid pid : pids) {
      exits.add(runtime.whenExited(pid));
    }
    for (Thread thread : outside) {
      thread.join();
    }
    boolean early = random.nextInt(4) == 0;
    if (!early) {
      for (CompletableFuture<Exit> exit : exits) {
        var _ = exit.get(1, java.util.concurrent.TimeUnit.HOURS);
      }
      settle(runtime);
    }
    var report = runtime.shutdown(Duration.ofSeconds(30));
    check(report.abandoned().isEmpty(), "abandoned: " + report);
    for (CompletableFuture<Exit> exit : exits) {
      check(exit.isDone(), "an end that nobody was told of");
    }
    lives.forEach(Life::verify);
  }

  // the last signals may still be on their way
  private void settle(ProcessRuntime runtime) throws InterruptedException {
    for (int i = 0; i < 1_000 && !runtime.processes().isEmpty(); i++) {
      Thread.sleep(1);
    }
    check(runtime.processes().isEmpty(), "do not end: " + runtime.dump());
  }

  private Pid spawn(ProcessRuntime runtime) {
    Life life = new Life(new Random(random.nextLong()));
    lives.add(life);
    Pid pid = runtime.spawn(life);
    life.started = true;
    pids.add(pid);
    return pid;
  }

  private Pid any(Random chance) {
    List<Pid> all = List.copyOf(pids);
    return all.get(chance.nextInt(all.size()));
  }

  private void actOutside(ProcessRuntime runtime, Random chance) throws InterruptedException {
    for (int i = 1 + chance.nextInt(4); i > 0; i--) {
      Pid pid = any(chance);
      try {
        switch (chance.nextInt(6)) {
          case 0 -> runtime.cancel(pid, "by a thread", Duration.ofNanos(chance.nextInt(1_000)));
          case 1 -> runtime.terminate(pid);
          case 2 -> {
            Exit exit = runtime.awaitExit(pid, Duration.ofNanos(1 + chance.nextInt(5_000)));
            check(exit.pid().equals(pid), "the end of another: " + exit);
          }
          case 3 -> {
            CompletableFuture<Exit> exit = runtime.whenExited(pid);
            boolean _ = exit.cancel(false);
          }
          case 4 -> runtime.requestExit(pid, "asked");
          default -> {
            int _ = runtime.events().publish(new News(i));
            Pid named = runtime.whereIs("name");
            check(named == null || pids.contains(named), "named: " + named);
          }
        }
      } catch (SendFailedException | DeadlineException _) {
        // it has ended, or it has not
      }
    }
  }

  /// A process that acts on the others, and ends.
  private final class Life implements Process {
    private final Random chance;
    private final Map<Long, Pid> watched = new ConcurrentHashMap<>();
    private final AtomicInteger closed = new AtomicInteger();
    private volatile boolean started;
    private @Nullable ProcessContext me;
    private int steps;
    private boolean traps;

    private Life(Random chance) {
      this.chance = chance;
      this.steps = 2 + chance.nextInt(6);
    }

    private void verify() {
      // a start that was refused may have closed it, too
      check(closed.get() == 1 || (closed.get() == 0 && !started), "closed " + closed + " times");
    }

    @Override
    public void init(ProcessContext self, String entryPoint, @Nullable Object input) {
      me = self;
      if (chance.nextInt(3) == 0) {
        traps = true;
        self.trapExits();
      }
      if (chance.nextInt(3) == 0) {
        var _ = self.register("name");
      }
      if (chance.nextInt(3) == 0) {
        boolean _ = self.runtime().events().subscribe(News.class, self.self());
      }
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof ProcessSignal.Down down) {
          check(watched.remove(down.monitor()) != null, "told twice of the end of " + down);
        } else if (event.data() instanceof ProcessSignal.LinkDown) {
          check(traps, "told of a link, and traps nothing");
        } else if (event.data() instanceof ProcessSignal.Cancel
            || event.data() instanceof ProcessSignal.ExitRequest) {
          steps = 0;
        }
      }
      if (--steps > 0) {
        act();
        out.continueNow();
      } else if (watched.isEmpty() || chance.nextInt(8) == 0) {
        end(out);
      } else {
        out.idle(); // until it was told of all ends
      }
    }

    private void end(StepOutput out) {
      switch (chance.nextInt(4)) {
        case 0 -> throw new IllegalStateException("on purpose");
        case 1 -> out.shutdown();
        default -> out.done();
      }
    }

    private void act() {
      Pid other = any(chance);
      switch (chance.nextInt(9)) {
        case 0 -> me.link(other);
        case 1 -> me.unlink(other);
        case 2, 3 -> {
          // it waits for the older ones only: so nobody waits in a ring
          if (other.id() < me.self().id()) {
            watched.put(me.monitor(other), other);
          }
        }
        case 4 -> watched.keySet().forEach(this::demonitor);
        case 5 -> {
          boolean _ = me.unregister("name");
          var _ = me.register("name");
        }
        case 6 -> {
          int _ = me.runtime().events().publish(new News(0));
        }
        case 7 -> {
          boolean _ = me.runtime().events().unsubscribe(News.class, me.self());
        }
        default -> spawnLinked();
      }
    }

    private void spawnLinked() {
      if (lives.size() > 9) {
        return;
      }
      Life child = new Life(new Random(chance.nextLong()));
      lives.add(child);
      StartOptions options = StartOptions.defaults();
      try {
        child.started = true;
        pids.add(me.spawn(child, chance.nextBoolean() ? options.linked() : options));
      } catch (StartRefusedException _) {
        child.started = false;
      }
    }

    private void demonitor(long monitor) {
      if (me.demonitor(monitor)) {
        watched.remove(monitor);
      }
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }
}
