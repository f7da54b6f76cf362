// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random lives under load, and what holds of all of them.
///
/// Every process spawns, sends, links, monitors, upgrades, fails and ends at random. In the end:
/// each message that was accepted was delivered once, or its receiver has ended; each process was
/// closed once; every exit was told; and the workers sleep.
@Timeout(120)
class StressTest {
  private static final int ROOTS = 64;
  private static final List<Priority> PRIORITIES =
      List.of(Priority.HIGH, Priority.NORMAL, Priority.LOW);
  private static final int ENOUGH = 60_000; // processes
  private static final long SEED = Long.getLong("heddle.test.seed", 20_261_122);

  private final AtomicInteger born = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger closedTwice = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicInteger twice = new AtomicInteger();
  private final AtomicLong accepted = new AtomicLong();
  private final Map<Long, Boolean> seen = new ConcurrentHashMap<>();
  private final AtomicLong lastMessage = new AtomicLong();
  private final List<Pid> addresses = new ArrayList<>();

  /// Does something else in each step.
  private final class Life implements Process {
    private final Random random = new Random(SEED + born.incrementAndGet());
    private final AtomicInteger closes = new AtomicInteger();
    private @Nullable ProcessContext self;
    private int steps = 5 + random.nextInt(20);

    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {
      self = context;
      context.trapExits(random.nextInt(4) == 0);
      address(context.self());
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      ProcessContext me = java.util.Objects.requireNonNull(self);
      for (ProcessEvent event : events) {
        if (event.data() instanceof Long number) {
          delivered.incrementAndGet();
          if (seen.put(number, true) != null) {
            twice.incrementAndGet();
          }
        } else if (event.data() instanceof Signal.Cancel) {
          steps = 0;
        }
      }
      if (--steps < 0) {
        out.done();
        return;
      }
      act(me, out);
    }

    private void act(ProcessContext me, StepOutput out) {
      Pid other = someone(random);
      switch (random.nextInt(16)) {
        case 0, 1, 2, 3 -> {
          if (born.get() < ENOUGH) {
            me.spawn(
                new Life(),
                StartOptions.DEFAULT
                    .withLink(random.nextInt(8) == 0)
                    .withMonitor(random.nextInt(4) == 0)
                    .withPriority(PRIORITIES.get(random.nextInt(3))));
          }
          out.again();
        }
        case 4 -> me.link(other);
        case 5 -> me.unlink(other);
        case 6 -> me.demonitor(me.monitor(other));
        case 7 -> me.monitor(other);
        case 8 -> {
          try {
            me.runtime().terminate(other);
          } catch (SendFailedException _) {
            // it has ended
          }
        }
        case 9 -> {
          if (random.nextInt(20) == 0) {
            throw new Fault();
          }
          out.again();
        }
        case 10 -> out.upgrade("random", RUN, null);
        case 11 -> out.again();
        default -> {
          for (int i = 0; i < 4; i++) {
            if (me.offer(someone(random), lastMessage.incrementAndGet()).isAccepted()) {
              accepted.incrementAndGet();
            }
          }
          me.offer(me.self(), "go on");
        }
      }
    }

    @Override
    public void close() {
      if (closes.incrementAndGet() == 1) {
        closed.incrementAndGet();
      } else {
        closedTwice.incrementAndGet();
      }
    }
  }

  /// What processes of this test throw: without a stack, there are many.
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;

    Fault() {
      super("at random", null, false, false);
    }
  }

  private synchronized void address(Pid pid) {
    if (addresses.size() < 1000) {
      addresses.add(pid);
    } else {
      addresses.set((int) (pid.id() % 1000), pid);
    }
  }

  private synchronized Pid someone(Random random) {
    return addresses.get(random.nextInt(addresses.size()));
  }

  @Test
  @Tag("P7")
  @Tag("P10")
  @Tag("proc-30")
  @Tag("proc-44")
  @Tag("proc-70")
  @Tag("proc-150")
  @Tag("proc-204")
  void randomLives_loseNothing_andEndOnce() throws Exception {
    AtomicInteger started = new AtomicInteger();
    AtomicInteger upgraded = new AtomicInteger();
    ProcessRuntime runtime =
        ProcessRuntime.builder()
            .factory(_ -> {
              upgraded.incrementAndGet();
              return new Life();
            })
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) {
                    started.incrementAndGet();
                  }

                  @Override
                  public void onComplete(Exit exit) {
                    ended.incrementAndGet();
                  }
                })
            .start();
    CountDownLatch roots = new CountDownLatch(ROOTS);
    Random random = new Random(SEED);
    while (born.get() < ENOUGH) {
      Pid root = runtime.spawn(new Life());
      var _ = runtime.exit(root).thenRun(roots::countDown);
      for (int i = 0; i < 100; i++) {
        synchronized (this) {
          if (addresses.isEmpty()) {
            continue;
          }
        }
        if (runtime.offer(someone(random), lastMessage.incrementAndGet()).isAccepted()) {
          accepted.incrementAndGet();
        }
      }
    }
    assertThat(roots.await(60, TimeUnit.SECONDS)).as("%s", SEED).isTrue();
    ShutdownReport report = runtime.shutdown(Kit.SOON);
    assertThat(report.abandoned()).isEmpty();
    assertThat(twice).as("delivered twice, seed %d", SEED).hasValue(0);
    assertThat(closedTwice).hasValue(0);
    assertThat(closed).as("closed, of all made").hasValue(born.get());
    assertThat(born).hasValue(started.get() + upgraded.get());
    assertThat(ended).hasValue(started.get());
    assertThat(delivered.get()).isPositive().isLessThanOrEqualTo(accepted.get());
    assertThat(runtime.undelivered()).isGreaterThanOrEqualTo(accepted.get() - delivered.get());
  }
}
