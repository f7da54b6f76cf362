// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Heddle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/// Test classes that [HeddleTestTest] has JUnit run; nested, so that no build finds them by itself.
final class TestClasses {
  static final List<String> seen = new ArrayList<>();

  private TestClasses() {}

  private static String current() {
    return Heddle.current().name();
  }

  static class Virtual {
    @HeddleTest(seed = 5, seeds = 3)
    void waitsADay() {
      Duration began = Simulation.elapsed();
      Heddle.delay(Duration.ofDays(1));
      seen.add(Simulation.elapsed().minus(began).toString());
    }
  }

  static class Lifecycle {
    @BeforeEach
    void before() {
      Heddle.delay(Duration.ofHours(1));
      seen.add("before " + current());
    }

    @HeddleTest(seeds = 1)
    void lifecycle(TestInfo info) {
      Heddle.delay(Duration.ofHours(1));
      seen.add(
          "test " + current() + " " + info.getTestMethod().orElseThrow().getName() + "(TestInfo)");
    }

    @AfterEach
    void after() {
      Heddle.delay(Duration.ofHours(1));
      seen.add("after " + current() + " " + Simulation.elapsed());
    }
  }

  static class LostUpdate {
    @HeddleTest
    void losesAnUpdate() {
      Programs.lostUpdate();
    }
  }

  static class Replayed {
    @HeddleTest(seed = 0, schedule = "0:1,1:1,2:1")
    void losesAnUpdate() {
      Programs.lostUpdate();
    }
  }

  static class Exhaustive {
    @HeddleTest(strategy = HeddleTest.Order.EXHAUSTIVE, seeds = 1_000)
    void order() {
      seen.add(Programs.order().toString());
    }
  }

  static class ExhaustiveWithABound {
    @HeddleTest(strategy = HeddleTest.Order.EXHAUSTIVE, seeds = 5)
    void order() {
      seen.add(Programs.order().toString());
    }
  }

  static class EmptySchedule {
    @HeddleTest(schedule = "")
    void order() {
      seen.add(Programs.order().toString());
    }
  }

  static class WithoutEffect {
    @HeddleTest(
        time = HeddleTest.Time.REAL,
        agent = true,
        seed = 3,
        seeds = 7,
        schedule = "",
        strategy = HeddleTest.Order.FIFO,
        depth = 2)
    void realTime() {}

    @HeddleTest(depth = 5)
    void depthOfARandomWalk() {}

    @HeddleTest(strategy = HeddleTest.Order.FIFO, seeds = 5)
    void seedsOfFifo() {}

    @HeddleTest(preemptions = 5)
    void preemptionsOfARandomWalk() {}

    @HeddleTest(strategy = HeddleTest.Order.EXHAUSTIVE, stalls = 5)
    void stallsOfAll() {}
  }

  static class Concurrent {
    private static final AtomicInteger RUNNING = new AtomicInteger();

    private static void run() {
      int running = RUNNING.incrementAndGet();
      synchronized (seen) {
        seen.add("running: " + running);
      }
      Heddle.delay(Duration.ofHours(1));
      RUNNING.decrementAndGet();
    }

    @HeddleTest(seeds = 10)
    void one() {
      run();
    }

    @HeddleTest(seeds = 10)
    void other() {
      run();
    }

    @HeddleTest(strategy = HeddleTest.Order.EXHAUSTIVE, seeds = 100)
    void third() {
      run();
    }
  }

  static class Deadlock {
    @HeddleTest(seeds = 1)
    void waitsForEver() {
      Heddle.<String>promise("the missing reply").future().await();
    }
  }

  static class FailingChild {
    @HeddleTest(seeds = 1)
    void spawns() {
      Heddle.spawn(() -> {
        Heddle.delay(Duration.ofSeconds(1));
        throw new IllegalStateException("the child failed");
      });
    }
  }

  static class Assumption {
    @HeddleTest(seeds = 1)
    void assumes() {
      assumeTrue(false, "not here");
    }
  }

  static class Late {
    @BeforeEach
    void ask() {
      // waits before the test begins, however little time that has
      Heddle.launch("asker", () -> Heddle.await(Heddle.trigger("the reply of nobody")));
    }

    @HeddleTest(seeds = 1)
    @Timeout(value = 1, unit = TimeUnit.MILLISECONDS)
    void waitsForAnotherThread() throws Exception {
      new CompletableFuture<String>().get();
    }
  }

  static class Endless {
    @HeddleTest(seeds = 1)
    @Timeout(value = 1, unit = TimeUnit.MILLISECONDS)
    void yieldsUntilItIsStopped() {
      seen.add("run");
      Heddle.launch("other", Endless::yieldForEver);
      yieldForEver();
    }

    static void yieldForEver() {
      while (true) {
        Heddle.yieldNow();
      }
    }
  }

  static class Blocking {
    @BeforeEach
    void before() throws InterruptedException {
      Thread.sleep(Duration.ofHours(1));
    }

    @HeddleTest(seeds = 2)
    void waitsInTheJdk() throws InterruptedException {
      Thread other = new Thread(() -> seen.add("in a thread"));
      other.start();
      other.join();
      Thread.sleep(Duration.ofHours(1));
      assertEquals(Duration.ofHours(2), Simulation.elapsed());
    }
  }

  static class RealTime {
    @BeforeEach
    void before() {
      seen.add("before " + current());
    }

    @HeddleTest(time = HeddleTest.Time.REAL)
    void waits() {
      Heddle.delay(Duration.ofMillis(1));
    }

    @AfterEach
    void after() {
      seen.add("after " + current());
    }
  }

  static class LateInRealTime {
    @HeddleTest(time = HeddleTest.Time.REAL)
    @Timeout(value = 1, unit = TimeUnit.MILLISECONDS)
    void waits() {
      Heddle.await(Heddle.trigger("the reply of nobody"));
    }
  }
}
