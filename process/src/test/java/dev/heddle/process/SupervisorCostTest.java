// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.DynamicSupervisor.ChildCounts;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Supervisors of very many children: where an event looked at all of them, these would take
/// minutes in place of a second.
@Timeout(300)
@Tag("P13")
class SupervisorCostTest {
  private static final int MANY = 50_000;

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private static Supervisor.Builder ofMany() {
    Duration soon = Duration.ofMillis(1);
    return Supervisor.builder()
        .intensity(Integer.MAX_VALUE, Duration.ofDays(1))
        .backoff(Backoff.constant(soon));
  }

  @Test
  @Tag("proc-252")
  void manyChildren_start_fail_andEnd() throws Exception {
    CountDownLatch started = new CountDownLatch(MANY);
    CountDownLatch restarted = new CountDownLatch(MANY);
    List<Pid> pids = new ArrayList<>();
    Supervisor.Builder how =
        ofMany()
            .listener(child -> {
              if (child.state() == State.RUNNING && child.starts() == 1) {
                pids.add(Objects.requireNonNull(child.pid()));
                started.countDown();
              } else if (child.state() == State.RUNNING) {
                restarted.countDown();
              }
            });
    for (int i = 0; i < MANY; i++) {
      how.child(
          i == 0
              ? ChildSpec.of("c0", Kit::resting)
              : ChildSpec.of("c" + i, Kit::resting).withAfter("c" + (i - 1) / 2));
    }
    Pid supervisor = runtime.spawn(how.build());
    started.await();
    pids.forEach(runtime::terminate);
    restarted.await();
    CompletableFuture<Exit> exit = runtime.whenExited(supervisor);
    runtime.cancel(supervisor, "enough", Kit.SOON);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  @Tag("proc-252")
  void manyTemporaryChildren_comeAndGo_besideManyThatStay() throws Exception {
    CountDownLatch over = new CountDownLatch(MANY);
    Supervisor.Builder how =
        ofMany()
            .listener(child -> {
              if (child.state() == State.EXITED) {
                over.countDown();
              }
            });
    for (int i = 0; i < MANY; i++) {
      how.child(ChildSpec.of("c" + i, Kit::resting));
    }
    Pid supervisor = runtime.spawn(how.build());
    assertThat(Kit.get(runtime.whenStarted(supervisor))).isTrue();
    ChildSpec job =
        ChildSpec.of("job", () -> (_, out) -> out.done()).withRestart(Restart.TEMPORARY);
    CompletableFuture<ChildStatus> last = new CompletableFuture<>();
    for (int i = 0; i < MANY; i++) {
      last = runtime.request(supervisor, new Supervisor.StartChild(renamed(job, i)));
      if (i % 1000 == 0) {
        Kit.get(last); // its mailbox has a bound
      }
    }
    Kit.get(last);
    over.await();
    List<ChildStatus> children =
        Kit.get(runtime.request(supervisor, new Supervisor.WhichChildren()));
    assertThat(children).hasSize(MANY);
  }

  private static ChildSpec renamed(ChildSpec spec, int number) {
    return ChildSpec.of("job " + number, spec.factory()).withRestart(spec.restart());
  }

  @Test
  @Tag("proc-253")
  void manyDynamicChildren_start_fail_andEnd() throws Exception {
    int many = 2 * MANY;
    CountDownLatch restarted = new CountDownLatch(many);
    Duration soon = Duration.ofMillis(1);
    Pid supervisor =
        runtime.spawn(
            DynamicSupervisor.builder(Kit::resting)
                .restart(Restart.PERMANENT)
                .intensity(Integer.MAX_VALUE, Duration.ofDays(1))
                .backoff(Backoff.constant(soon))
                .listener(child -> {
                  if (child.state() == State.RUNNING && child.starts() == 2) {
                    restarted.countDown();
                  }
                })
                .build());
    List<CompletableFuture<Pid>> starts = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      starts.add(runtime.request(supervisor, new DynamicSupervisor.StartChild()));
      if (i % 1000 == 0) {
        Kit.get(starts.getLast()); // its mailbox has a bound
      }
    }
    for (CompletableFuture<Pid> start : starts) {
      runtime.terminate(Kit.get(start));
    }
    restarted.await();
    ChildCounts childCounts =
        Kit.get(runtime.request(supervisor, new DynamicSupervisor.CountChildren()));
    assertThat(childCounts).isEqualTo(new ChildCounts(0, many, 0, 0));
    CompletableFuture<Exit> exit = runtime.whenExited(supervisor);
    runtime.cancel(supervisor, "enough", Kit.SOON);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }
}
