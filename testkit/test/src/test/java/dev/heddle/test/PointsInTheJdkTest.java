// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Preemption points in the code of the JDK, in JVMs of their own.
@Tag("agent")
@Timeout(600)
class PointsInTheJdkTest {
  private static final int RUNS = 20;

  @Test
  @Tag("sim-1")
  void sameSeed_givesTheSameCourse_howeverManyPoolsEarlierRunsHaveLeftInTheJdk() throws Exception {
    List<String> lines =
        OtherJvm.lines(
            PoolsOfEachRun.class,
            "-javaagent:"
                + System.getProperty("heddle.world.jar")
                + "=points=sync,packages=java.util.concurrent");
    assertThat(lines).hasSize(RUNS);
    assertThat(new HashSet<>(lines)).hasSize(1);
  }

  /// Prints what each run of one seed took.
  static final class PoolsOfEachRun {
    private PoolsOfEachRun() {}

    public static void main(String[] args) {
      for (int run = 0; run < RUNS; run++) {
        var record =
            Simulation.record(
                SimulationOptions.defaults().withSeed(3).withoutLeakChecks(),
                PoolsOfEachRun::usePools);
        IO.println("%x %s".formatted(record.fingerprint(), record.failure()));
      }
    }

    private static String usePools() throws Exception {
      ConcurrentHashMap<String, Integer> done = new ConcurrentHashMap<>();
      CountDownLatch ended = new CountDownLatch(3);
      String value = CompletableFuture.supplyAsync(() -> "x").get();
      try (ExecutorService fixed = Executors.newFixedThreadPool(2);
          ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
          var timed = Executors.newScheduledThreadPool(1)) {
        var _ = fixed.submit(() -> end(done, ended, "fixed"));
        var _ = virtual.submit(() -> end(done, ended, "virtual"));
        var _ = timed.schedule(() -> end(done, ended, "timed"), 1, TimeUnit.SECONDS);
        ended.await();
      }
      return value + done.size();
    }

    private static void end(
        ConcurrentHashMap<String, Integer> done, CountDownLatch ended, String name) {
      done.merge(name, 1, Integer::sum);
      ended.countDown();
    }
  }
}
