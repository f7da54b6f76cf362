// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.Heddle;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.StartOptions;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.simulated.program.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A supervisor of workers that fail, are terminated and asked to end.
///
/// Of one child, one incarnation lives at a time. The children of a strategy restart together, and
/// in their order. After the end of the supervisor no child lives.
final class Supervisors {
  private static final int CHILDREN = 3;

  private final Random random = new Random();
  private final int[] alive = new int[CHILDREN];
  private final int[] starts = new int[CHILDREN];
  private final List<Integer> order = new ArrayList<>();
  private final Supervisor.Strategy strategy =
      Supervisor.Strategy.values()[random.nextInt(Supervisor.Strategy.values().length)];

  private Supervisors() {}

  /// A row of [OwnParts].
  static void run(Threads threads) throws Exception {
    new Supervisors().play();
  }

  private void play() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      Supervisor.Builder how =
          Supervisor.builder().strategy(strategy).intensity(4, Duration.ofMinutes(1));
      for (int i = 0; i < CHILDREN; i++) {
        int number = i;
        how.child(
            ChildSpec.of("child" + i, () -> worker(number))
                .withOptions(StartOptions.defaults().withName("worker" + i))
                .withShutdown(Duration.ofSeconds(1)));
      }
      Pid supervisor = runtime.spawn(how.build());
      check(Heddle.await(runtime.whenStarted(supervisor)), "not started");
      for (int i = random.nextInt(5); i > 0; i--) {
        Heddle.delay(Duration.ofMillis(random.nextInt(300)));
        disturb(runtime);
      }
      Heddle.delay(Duration.ofSeconds(random.nextInt(2)));
      if (random.nextBoolean()) {
        try {
          runtime.cancel(supervisor, "enough", Duration.ofSeconds(10));
        } catch (SendFailedException _) {
          // it has given up
        }
        Exit exit = Heddle.await(runtime.whenExited(supervisor));
        check(exit.pid().equals(supervisor), "another one's end");
        checkNobodyLives();
      }
    }
    checkNobodyLives();
    if (strategy == Supervisor.Strategy.ONE_FOR_ALL) {
      for (int i = 0; i + 1 < order.size(); i++) {
        int next = order.get(i + 1);
        check(next == 0 || next == order.get(i) + 1, "started in the order " + order);
      }
    }
  }

  private void checkNobodyLives() {
    for (int i = 0; i < CHILDREN; i++) {
      check(alive[i] == 0, "child " + i + " lives after the end");
    }
  }

  private void disturb(ProcessRuntime runtime) {
    String name = "worker" + random.nextInt(CHILDREN);
    try {
      Pid pid = runtime.whereIs(name);
      if (random.nextBoolean() || pid == null) {
        runtime.send(name, "fail");
      } else if (random.nextBoolean()) {
        runtime.terminate(pid);
      } else {
        runtime.requestExit(pid, "asked");
      }
    } catch (SendFailedException _) {
      // it is about to start
    }
  }

  private CoroutineProcess worker(int number) {
    return CoroutineProcess.of(self -> {
      check(++alive[number] == 1, "two of child " + number);
      starts[number]++;
      order.add(number);
      try {
        while (true) {
          if (self.receive(String.class).equals("fail")) {
            throw new IllegalStateException("on purpose");
          }
        }
      } finally {
        alive[number]--;
      }
    });
  }
}
