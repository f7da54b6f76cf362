// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.SimulationResult;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes whose programs are blocking code: with the agent.
@Tag("agent")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentNodeTest {
  private static final int CRASHES = 200;

  private final List<String> seen = new ArrayList<>();

  @Test
  @Tag("sim-33")
  void clocksOfTheJdk_areThoseOfTheNode() {
    List<Duration> took = new ArrayList<>();
    Simulation.run(() -> {
      took.clear(); // of the warm-up
      Instant begin = Instant.now();
      NodeOptions hasty =
          NodeOptions.defaults().withClockDrift(1_000_000).withClockOffset(Duration.ofDays(1));
      Node node =
          Node.start(
              "hasty",
              hasty,
              () -> {
                Instant first = Instant.now();
                took.add(Duration.between(begin, first));
                Thread.sleep(Duration.ofHours(1));
                took.add(Duration.between(first, Instant.now()));
                took.add(Simulation.elapsed());
              });
      node.await();
    });
    assertThat(took)
        .containsExactly(Duration.ofDays(1), Duration.ofHours(1), Duration.ofMinutes(30));
  }

  /// Threads, monitors, chance and timed waits of the JDK in three nodes.
  private static List<String> course(long seed) {
    List<String> course = new ArrayList<>();
    SimulationResult<?> result =
        Simulation.run(
            SimulationOptions.defaults().withSeed(seed),
            () -> {
              course.clear(); // of the warm-up
              List<Node> nodes = new ArrayList<>();
              for (String name : List.of("a", "b", "c")) {
                nodes.add(Node.start(name, () -> work(name, course)));
              }
              Thread.sleep(40);
              nodes.getFirst().crash();
              nodes.getFirst().restart();
              nodes.forEach(Node::await);
            });
    course.add(result.fingerprint() + " at " + result.elapsed());
    assertThat(result.uncontrolled()).isEmpty();
    return course;
  }

  private static void work(String name, List<String> course) throws Exception {
    Object monitor = new Object();
    try (ExecutorService pool = Executors.newFixedThreadPool(3)) {
      for (int i = 0; i < 6; i++) {
        var _ =
            pool.submit(() -> {
              synchronized (monitor) {
                Thread.sleep(new Random().nextInt(1, 30));
                course.add(name + " " + Thread.currentThread().getName() + " " + System.nanoTime());
              }
              return null;
            });
      }
    }
  }

  @Test
  @Tag("sim-31")
  void sameSeed_takesTheSameCourse_withThreadsAndMonitorsInEachNode() {
    List<String> first = course(3);
    for (int i = 0; i < 10; i++) {
      assertThat(course(3)).isEqualTo(first);
    }
    assertThat(course(4)).isNotEqualTo(first);
  }

  @Test
  @Tag("sim-32")
  void crash_endsThreadsAndExecutors_withoutAnotherStep() {
    List<WeakReference<Object>> onStacks = new ArrayList<>();
    Simulation.run(() -> {
      onStacks.clear(); // of the warm-up
      Node node =
          Node.start(
              "store",
              () -> {
                Path path = Simulation.files().path("/tmp/end");
                ExecutorService pool = Executors.newFixedThreadPool(2);
                byte[] local = new byte[100_000];
                onStacks.add(new WeakReference<>(local));
                for (int i = 0; i < 2; i++) {
                  var _ =
                      pool.submit(() -> {
                        try {
                          Thread.sleep(Duration.ofDays(1));
                          seen.add("went on" + local.length);
                        } finally {
                          Files.writeString(path, "written at the end");
                          seen.add("finally");
                        }
                        return null;
                      });
                }
                Thread.sleep(Duration.ofDays(1));
              });
      for (int i = 0; i < CRASHES; i++) {
        Thread.sleep(1_000);
        node.crash();
        node.restart();
      }
      Thread.sleep(1_000);
      node.crash();
      assertThat(node.files().path("/tmp/end")).doesNotExist();
      Heddle.delay(Duration.ofDays(2));
      assertThat(onStacks).hasSize(CRASHES + 1);
      // of the last ones a frame of the run may hold some
      while (onStacks.stream().filter(local -> !local.refersTo(null)).count() > 9) {
        System.gc();
        Heddle.yieldNow();
      }
    });
    assertThat(seen).isEmpty();
  }
}
