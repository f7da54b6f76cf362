// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ShutdownReport;
import dev.heddle.process.StartOptions;
import dev.heddle.process.WorkerCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// One runtime, and the worlds on it, from its start to its shutdown.
///
/// Every third round is *light*: four worlds, so that workers sleep and wake all the time. Every
/// fifth is *cut* by a shutdown in the middle of everything. Somebody takes dumps throughout.
///
/// What holds of each round: all processes end, and then all workers sleep; each start has its end;
/// nothing is abandoned.
final class Round {
  private static final long GUARD_NANOS = 120_000_000_000L; // nothing got on: something is lost
  private static final Duration SHUTDOWN = Duration.ofMinutes(2); // the same; measures nothing
  private static final int LIGHT = 4; // worlds
  private static final long LOOK_MILLIS = 1;
  private static final long DUMP_MILLIS = 10;

  private static final List<Function<Round, World>> WORLDS =
      List.of(
          Rings::new,
          Streams::new,
          FullMailbox::new,
          DroppingMailboxes::new,
          Watchers::new,
          LinkedTrees::new,
          Askers::new,
          Commanders::new,
          Supervisors::new,
          Upgrades::new,
          Locks::new,
          Pool::new);

  private enum Kind {
    FULL,
    LIGHT,
    CUT
  }

  private final int number;
  private final long seed;
  private final int workers;
  private final Kind kind;
  private final Violations violations;
  private final ProcessRuntime runtime;
  private final List<World> worlds = new ArrayList<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final AtomicLong randoms = new AtomicLong();
  private final LongAdder started = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private volatile boolean cut;

  /// Nothing got on for very long: a wake-up, a message or an end is lost.
  static final class Stuck extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stuck(String what) {
      super(what);
    }
  }

  /// @param number from 1; decides of which kind it is
  Round(int number, long seed, int workers, Violations violations) {
    this.number = number;
    this.seed = seed;
    this.workers = workers;
    this.kind = number % 5 == 4 ? Kind.CUT : number % 3 == 0 ? Kind.LIGHT : Kind.FULL;
    this.violations = violations;
    this.runtime =
        ProcessRuntime.builder()
            .workers(workers)
            .factory(source -> Upgrades.made(source))
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) {
                    started.increment();
                  }

                  @Override
                  public void onExit(Exit exit) {
                    ended.increment();
                  }
                })
            .start();
  }

  @Override
  public String toString() {
    return "round %d (%s, %d workers, round seed %d)"
        .formatted(number, kind.name().toLowerCase(), workers, seed);
  }

  // ---- for worlds ----

  ProcessRuntime runtime() {
    return runtime;
  }

  Violations violations() {
    return violations;
  }

  boolean isCut() {
    return cut;
  }

  Random random() {
    return new Random(seed + randoms.incrementAndGet());
  }

  Thread thread(World world, World.Work work) {
    Thread thread = Thread.ofPlatform().daemon().name(world.name()).unstarted(() -> {
      try {
        work.run();
      } catch (Throwable t) {
        if (!cut) {
          violations.add(world.name(), "a thread of its own has failed: " + t);
        }
      }
    });
    threads.add(thread);
    thread.start();
    return thread;
  }

  /// Waits until something holds; for good when this round was cut.
  void await(World world, String what, BooleanSupplier holds) throws InterruptedException {
    long done = world.done();
    long since = System.nanoTime();
    while (!holds.getAsBoolean()) {
      if (world.done() != done) {
        done = world.done();
        since = System.nanoTime();
      } else if (System.nanoTime() - since > GUARD_NANOS) {
        throw new Stuck(world.name() + " waits in vain for " + what);
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  // ---- its life ----

  /// Lets it live, from the start to the end.
  ///
  /// @return false when something is stuck
  boolean run() throws InterruptedException {
    violations.begin(this);
    Thread dumper = Thread.ofPlatform().daemon().name("dumper").start(this::dump);
    try {
      live();
    } catch (Stuck e) {
      violations.add("(all)", e.getMessage() + "\n" + runtime.dump());
      return false;
    } finally {
      cut = true; // for threads: most have ended
      shutdown();
      dumper.join();
    }
    return true;
  }

  private void live() throws InterruptedException {
    Random random = random();
    List<Function<Round, World>> chosen = new ArrayList<>(WORLDS);
    Collections.shuffle(chosen, random);
    chosen = kind == Kind.LIGHT ? chosen.subList(0, LIGHT) : chosen;
    for (Function<Round, World> world : chosen) {
      worlds.add(world.apply(this));
    }
    for (World world : worlds) {
      world.begin();
    }
    for (World world : kind == Kind.CUT ? worlds.subList(0, 1) : worlds) {
      await(world, "enough", world::isEnough);
    }
    if (kind == Kind.CUT) {
      return;
    }
    for (World world : worlds) {
      world.stop();
      world.end();
    }
    awaitRest();
  }

  /// All processes have been ended: nothing is left that would run.
  private void awaitRest() throws InterruptedException {
    World last = worlds.getLast();
    await(last, "the end of all processes", () -> runtime.counters().processes() == 0);
    await(
        last,
        "the sleep of all workers",
        () -> runtime.workers().stream().allMatch(WorkerCounters::asleep));
  }

  private void shutdown() throws InterruptedException {
    ShutdownReport report = runtime.shutdown(SHUTDOWN);
    for (Thread thread : threads) {
      if (!thread.join(SHUTDOWN)) {
        violations.add(thread.getName(), "a thread of its own stands after the shutdown");
      }
    }
    if (!report.abandoned().isEmpty()) {
      violations.add("(all)", "abandoned: " + report);
    }
    if (started.sum() != ended.sum() || runtime.counters().processes() != 0) {
      violations.add(
          "(all)",
          "%d have started, the end of %d was told, %d are left"
              .formatted(started.sum(), ended.sum(), runtime.counters().processes()));
    }
    for (World world : worlds) {
      violations.sum(world.name(), world.done());
    }
    violations.sum("processes", started.sum());
  }

  private void dump() {
    try {
      while (!cut) {
        runtime.dump();
        runtime.counters();
        Thread.sleep(DUMP_MILLIS);
      }
    } catch (InterruptedException _) {
      // nobody does that
    } catch (RuntimeException e) {
      violations.add("(dumper)", "a dump has failed: " + e);
    }
  }
}
