// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.process.Commands;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StepOutput;
import dev.heddle.simulated.program.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Steps that block their workers, in virtual time, among messages, timers and ends.
///
/// All that was sent arrives. While one worker is blocked and another is not, a message waits for
/// no longer than the monitor of the scheduler takes to notice.
final class BlockedSteps {
  private static final Duration NOTICED = Duration.ofMillis(10); // two checks, and their threads

  private final Random random = new Random();
  private final List<Pid> pids = new ArrayList<>();
  private final AtomicInteger blocked = new AtomicInteger();
  private final int workers = 2 + random.nextInt(2);
  private final int processes = 2 + random.nextInt(3);
  private final int messages = 4 * processes;
  private final CountDownLatch arrived = new CountDownLatch(messages);

  private BlockedSteps() {}

  /// A row of [OwnParts].
  static void run(Threads threads) {
    BlockedSteps program = new BlockedSteps();
    Runtimes.on(threads, ProcessRuntime.builder().workers(program.workers), program::play);
  }

  private void play(ProcessRuntime runtime) throws Exception {
    for (int i = 0; i < processes; i++) {
      pids.add(runtime.spawn(new Sleeper(new Random(random.nextLong()))));
    }
    for (int i = 0; i < messages; i++) {
      runtime.send(pids.get(i % processes), System.nanoTime());
      if (random.nextInt(3) == 0) {
        Thread.sleep(0, 1 + random.nextInt(3_000_000 / 4) % 999_999);
      }
    }
    check(arrived.await(10, TimeUnit.MINUTES), "lost: " + runtime.dump());
  }

  /// A process that blocks now and then.
  private final class Sleeper implements Process {
    private final Random chance;
    private long tag;

    private Sleeper(Random chance) {
      this.chance = chance;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws InterruptedException {
      for (ProcessEvent event : events) {
        if (event.isMessage()) {
          arrived.countDown();
        }
      }
      switch (chance.nextInt(4)) {
        case 0 -> block();
        case 1 -> {
          out.execute(++tag, Commands.sleep(Duration.ofMillis(chance.nextInt(5))));
          if (chance.nextBoolean()) {
            out.awaitCommands();
          }
        }
        case 2 -> out.continueNow();
        default -> out.idle();
      }
    }

    private void block() throws InterruptedException {
      long began = System.nanoTime();
      if (blocked.incrementAndGet() < workers) {
        Thread.sleep(chance.nextInt(30));
      }
      blocked.decrementAndGet();
      check(System.nanoTime() - began < NOTICED.toNanos() * 100, "sleeps too long");
    }
  }
}
