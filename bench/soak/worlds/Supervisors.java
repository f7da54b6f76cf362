// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.Commands;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/// A supervisor of each strategy, whose children fail and end all the time; some trap exits, some
/// have names, some start after others.
///
/// *Invariant*: a child has one life at a time; when failures cease, all live; when the supervisor
/// has ended, none does.
final class Supervisors extends World {
  private static final int CHILDREN = 8; // of each
  private static final int NAMED = 5; // the number of the child that has a name
  private static final Duration PAUSE = Duration.ofMillis(3); // between two steps
  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofMillis(1)).withMaxDelay(Duration.ofMillis(20)).withJitter(0.5);
  private static final Duration PATIENCE = Duration.ofMinutes(2); // only a hang takes so long
  private static final long ENOUGH = 500; // lives

  private final List<Family> families = new ArrayList<>();

  private record Family(Pid supervisor, List<AtomicInteger> lives) {}

  Supervisors(Round round) {
    super(round, "supervisors", ENOUGH);
  }

  @Override
  void begin() {
    for (Supervisor.Strategy strategy : Supervisor.Strategy.values()) {
      Supervisor.Builder builder =
          Supervisor.builder()
              .strategy(strategy)
              .intensity(Integer.MAX_VALUE, Duration.ofMinutes(1))
              .backoff(BACKOFF);
      List<AtomicInteger> lives = new ArrayList<>();
      for (int i = 0; i < CHILDREN; i++) {
        AtomicInteger life = new AtomicInteger();
        lives.add(life);
        builder.child(child(strategy, i, life));
      }
      families.add(new Family(spawn(builder.build()), lives));
    }
  }

  private ChildSpec child(Supervisor.Strategy strategy, int number, AtomicInteger life) {
    ChildSpec spec =
        ChildSpec.of("child " + number, () -> new Child(random(), number % 3 == 0, life))
            .withShutdown(PATIENCE);
    if (number > 0 && number % 2 == 0) {
      spec = spec.withAfter("child " + (number - 1));
    }
    return number == NAMED
        ? spec.withOptions(StartOptions.defaults().withName(strategy + " " + number))
        : spec;
  }

  private final class Child extends Actor {
    private final Random random;
    private final boolean traps;
    private final AtomicInteger life;
    private boolean lives;
    private long tag;

    Child(Random random, boolean traps, AtomicInteger life) {
      this.random = random;
      this.traps = traps;
      this.life = life;
    }

    @Override
    public void init(ProcessContext context, String method, Object input) {
      super.init(context, method, input);
      lives = true;
      int now = life.incrementAndGet();
      check(now == 1, () -> "a child has " + now + " lives at once");
      if (traps) {
        context.trapExits();
      }
      did();
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof ProcessSignal) { // to end, or with a sibling
          out.done();
          return;
        }
      }
      int chance = random.nextInt(40);
      if (goesOn() && chance == 0) {
        throw new Crash();
      } else if (goesOn() && chance == 1) {
        out.done();
      } else if (self().pendingCommands() == 0) {
        out.execute(++tag, Commands.sleep(PAUSE));
      }
    }

    @Override
    public void close() {
      if (lives) {
        life.decrementAndGet();
      }
    }
  }

  @Override
  void end() throws InterruptedException {
    for (Family family : families) {
      await("all children to live", () -> family.lives.stream().allMatch(l -> l.get() == 1));
      runtime().cancel(family.supervisor, "the world ends", PATIENCE);
      Exit exit = awaitExit(family.supervisor);
      check(exit.reason() == Exit.Reason.SHUTDOWN, () -> "a supervisor: " + exit);
      check(
          family.lives.stream().allMatch(l -> l.get() == 0),
          () -> "children outlive their supervisor: " + family.lives);
    }
  }
}
