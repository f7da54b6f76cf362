// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import dev.heddle.process.Commands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/// Processes monitor their children, which end, fail or are killed soon; some monitors are taken
/// back.
///
/// *Invariant*: each monitor fires once, for the process that it was set on, unless it was taken
/// back: then never.
final class Watchers extends World {
  private static final int WATCHERS = 6;
  private static final int OPEN = 200; // monitors of each, at most
  private static final int REMEMBERED = 10_000; // that were taken back
  private static final long ENOUGH = 50_000; // signals

  private final List<Pid> watchers = new ArrayList<>();

  Watchers(Round round) {
    super(round, "watchers", ENOUGH);
  }

  @Override
  void begin() {
    for (int i = 0; i < WATCHERS; i++) {
      watchers.add(spawn(new Watcher(random(), i % 2 == 0)));
    }
  }

  private final class Watcher extends Actor {
    private final Random random;
    private final boolean traps;
    private final Map<Long, Pid> open = new HashMap<>();
    private final Set<Long> takenBack = new HashSet<>();
    private long tag;
    private boolean asked; // to end

    Watcher(Random random, boolean traps) {
      this.random = random;
      this.traps = traps;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (traps) {
        self().trapExits();
      }
      for (ProcessEvent event : events) {
        switch (event.data()) {
          case ProcessSignal.Down down -> fired(down);
          case ProcessSignal.Cancel _ -> asked = true;
          case null, default -> {
            // the end of a pause
          }
        }
      }
      if (asked || (!goesOn() && open.isEmpty())) {
        out.done();
      } else if (goesOn()) {
        act(out);
      } // else what is open comes
    }

    private void fired(ProcessSignal.Down down) {
      long monitor = down.monitor();
      check(!takenBack.contains(monitor), () -> "a monitor that was taken back fires: " + down);
      Pid meant = open.remove(monitor);
      check(
          down.exit().pid().equals(meant),
          () -> "the monitor of " + meant + " (null: of nobody, or for the second time): " + down);
      did();
    }

    private void act(StepOutput out) {
      try {
        for (int i = 0; i < 3 && open.size() < OPEN; i++) {
          Pid child = self().spawn(new Child(random.nextLong()));
          for (int j = random.nextInt(3); j >= 0; j--) {
            open.put(self().monitor(child), child);
          }
          if (random.nextInt(3) == 0) {
            terminate(child);
          }
        }
      } catch (StartRefusedException e) {
        check(!goesOn(), e::toString);
      }
      if (random.nextBoolean() && !open.isEmpty()) {
        takeBack(open.keySet().iterator().next());
      }
      if (random.nextInt(4) == 0) {
        out.continueNow();
      } else if (self().pendingCommands() == 0) {
        out.execute(++tag, Commands.sleep(Duration.ofNanos(random.nextInt(1_000_000))));
      }
    }

    private void takeBack(long monitor) {
      check(self().demonitor(monitor), () -> "a monitor that has not fired is not there: " + monitor);
      open.remove(monitor);
      if (takenBack.size() > REMEMBERED) {
        takenBack.clear();
      }
      takenBack.add(monitor);
    }
  }

  /// Ends after some steps, well or not.
  private static final class Child extends Actor {
    private final boolean fails;
    private int steps;

    Child(long chance) {
      this.fails = chance % 3 == 0;
      this.steps = (int) (chance >>> 8) & 7;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (--steps > 0) {
        out.continueNow();
      } else if (fails) {
        throw new Crash();
      } else {
        out.done();
      }
    }
  }

  @Override
  void end() throws InterruptedException {
    for (Pid watcher : watchers) {
      runtime().offer(watcher, "stopped"); // it may rest for want of monitors
    }
    for (Pid watcher : watchers) {
      Exit exit = awaitExit(watcher);
      check(exit.reason() == Exit.Reason.NORMAL, () -> "a watcher: " + exit);
    }
  }
}
