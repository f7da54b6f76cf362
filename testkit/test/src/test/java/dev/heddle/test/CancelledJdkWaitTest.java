// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Body;
import dev.heddle.Heddle;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A coroutine whose wait in the JDK a cancellation ends, and that meets a monitor then, with the
/// agent.
@Tag("agent")
@Timeout(300)
class CancelledJdkWaitTest {
  private static final int RUNS = 100; // a wake-up that comes late is rare

  /// What a coroutine does when its wait was cancelled.
  private interface End {
    void of(Thread thread) throws InterruptedException;
  }

  @Test
  @Tag("sim-1")
  void join_afterACancelledWait_hasOneCourse_andNoDeadlock() {
    assertThat(courses(cancelled(Thread::join))).hasSize(1);
  }

  @Test
  @Tag("sim-1")
  @SuppressWarnings("ThreadPriorityCheck") // a step of the loop's own between the two waits
  void join_afterAYield_hasOneCourse_andNoDeadlock() {
    Body<Object> yields =
        cancelled(thread -> {
          Thread.yield();
          thread.join();
        });
    assertThat(courses(yields)).hasSize(1);
  }

  @Test
  @Tag("sim-1")
  void monitor_afterACancelledWait_hasOneCourse_andNoDeadlock() {
    Object monitor = new Object();
    Body<Object> enters =
        () -> {
          var holder =
              Heddle.spawn(() -> {
                synchronized (monitor) {
                  Thread.sleep(200);
                }
              });
          var waits =
              Heddle.spawn(() -> {
                try {
                  Thread.sleep(100_000);
                } finally {
                  synchronized (monitor) {
                    Thread.sleep(1);
                  }
                }
              });
          Thread.sleep(100);
          waits.cancel("the test");
          holder.await();
          Thread.sleep(1_000);
          return holder;
        };
    assertThat(courses(enters)).hasSize(1);
  }

  private static Body<Object> cancelled(End end) {
    return () -> {
      var waits =
          Heddle.spawn(() -> {
            Thread thread = new Thread(CancelledJdkWaitTest::sleep);
            thread.start();
            try {
              Thread.sleep(100_000);
            } finally {
              thread.interrupt();
              end.of(thread);
            }
          });
      Thread.sleep(100);
      waits.cancel("the test");
      Thread.sleep(1_000);
      return waits;
    };
  }

  private static void sleep() {
    try {
      Thread.sleep(100_000);
    } catch (InterruptedException _) {
      // it ends
    }
  }

  // of many runs with one seed
  private static Set<String> courses(Body<Object> program) {
    Set<String> courses = new TreeSet<>();
    for (int run = 0; run < RUNS; run++) {
      var record = Simulation.record(SimulationOptions.defaults().withSeed(5), program);
      assertThat(record.failure()).isNull();
      courses.add("%x %s".formatted(record.fingerprint(), record.elapsed()));
    }
    return courses;
  }
}
