// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.Heddle;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.Commands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;

/// Steps start timers, calls on threads and coroutines on the loop, six at a time, and cancel some.
///
/// *Invariant*: each command has one result, with its tag; that of a cancelled one is a
/// cancellation; no timer fires early.
final class Commanders extends World {
  private static final int COMMANDERS = 8;
  private static final int AT_ONCE = 6;
  private static final long LEAST_NANOS = 2_000_000; // of a timer
  private static final long MORE_NANOS = 8_000_000;
  private static final long ENOUGH = 5_000; // results

  private final List<Pid> commanders = new ArrayList<>();

  Commanders(Round round) {
    super(round, "commanders", ENOUGH);
  }

  @Override
  void begin() {
    for (int i = 0; i < COMMANDERS; i++) {
      commanders.add(spawn(new Commander(random())));
    }
  }

  private static final class Open {
    final long notBefore; // by the JVM's clock; of what is no timer the least number
    boolean cancelled;

    Open(long notBefore) {
      this.notBefore = notBefore;
    }
  }

  private final class Commander extends Actor {
    private final Random random;
    private final Map<Long, Open> open = new HashMap<>();
    private long tag;

    Commander(Random random) {
      this.random = random;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      long now = System.nanoTime();
      for (ProcessEvent event : events) {
        if (!event.isMessage()) {
          completed(event, now);
        }
      }
      if (goesOn()) {
        for (int i = 1 + random.nextInt(4); i > 0 && open.size() < AT_ONCE; i--) {
          command(out);
        }
        cancelOne();
      } else if (open.isEmpty()) {
        out.done(self().pendingCommands());
      }
    }

    private void completed(ProcessEvent event, long now) {
      Open was = open.remove(event.tag());
      did();
      if (was == null) {
        violation("a result for nobody, or the second one: " + event);
      } else if (was.cancelled) {
        check(
            event.error() instanceof CancellationException,
            () -> "a command that was cancelled: " + event);
      } else {
        check(event.error() == null, () -> "a command has failed: " + event);
        if (was.notBefore != Long.MIN_VALUE) {
          long late = now - was.notBefore;
          check(late >= 0, () -> "a timer has fired " + -late + " ns early");
          round().violations().most("us that a timer was late", late / 1_000);
        }
      }
    }

    private void command(StepOutput out) {
      tag++;
      switch (random.nextInt(12)) {
        case 0 -> {
          open.put(tag, new Open(Long.MIN_VALUE));
          boolean waits = random.nextInt(4) == 0;
          out.execute(tag, Commands.call(() -> {
            if (waits) {
              Thread.sleep(1);
            }
            return 1;
          }));
        }
        case 1 -> {
          open.put(tag, new Open(Long.MIN_VALUE));
          Duration time = Duration.ofNanos(random.nextInt(1_000_000));
          out.execute(tag, Commands.onLoop(() -> {
            Heddle.delay(time);
            return 1;
          }));
        }
        default -> {
          long nanos = LEAST_NANOS + random.nextLong(MORE_NANOS);
          open.put(tag, new Open(System.nanoTime() + nanos));
          out.execute(tag, Commands.sleep(Duration.ofNanos(nanos)));
        }
      }
    }

    private void cancelOne() {
      for (Map.Entry<Long, Open> one : open.entrySet()) {
        boolean isOld = one.getKey() <= tag - 4;
        if (isOld && !one.getValue().cancelled && random.nextInt(30) == 0) {
          one.getValue().cancelled = self().cancelCommand(one.getKey());
          return;
        }
      }
    }
  }

  @Override
  void end() throws InterruptedException {
    for (Pid commander : commanders) {
      runtime().offer(commander, "stopped"); // it may have none open
    }
    for (Pid commander : commanders) {
      Exit exit = awaitExit(commander);
      check(Integer.valueOf(0).equals(exit.result()), () -> "one that has commanded: " + exit);
    }
  }
}
