// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessCounters;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.WorkerCounters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("proc-269")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessRuntimeMetricsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private double level(String name) {
    return registry.get(name).tag("runtime", "orders").gauge().value();
  }

  private long count(String name) {
    return (long) registry.get(name).tag("runtime", "orders").functionCounter().count();
  }

  private static ProcessRuntime orders() {
    return ProcessRuntime.builder().host("orders").workers(2).start();
  }

  /// Ends by its first message, which it acknowledges.
  private static CoroutineProcess receiver() {
    return CoroutineProcess.of(self -> self.receive());
  }

  @Test
  void counts_afterKnownWork_areThoseOfTheRuntime() throws InterruptedException {
    try (ProcessRuntime runtime = orders()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry);
      List<Pid> pids = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        pids.add(runtime.spawn(receiver()));
      }
      assertThat(level("heddle.runtime.live")).isEqualTo(20);
      for (Pid pid : pids.subList(0, 15)) {
        runtime.send(pid, "end");
        runtime.awaitExit(pid, LIMIT);
      }
      assertThat(count("heddle.runtime.started")).isEqualTo(20);
      assertThat(count("heddle.runtime.runs")).isGreaterThanOrEqualTo(20);
      ProcessCounters counters = runtime.counters();
      assertThat(count("heddle.runtime.undelivered")).isEqualTo(counters.undelivered());
      assertThat(count("heddle.runtime.late.results")).isZero();
      assertThat(count("heddle.runtime.long.steps")) // a busy machine makes steps long
          .isBetween(counters.longSteps(), runtime.counters().longSteps());
      assertThat(count("heddle.runtime.deadlocks")).isZero();
    }
  }

  @Test
  void metersOfWorkers_togetherAreThoseOfTheRuntime() throws InterruptedException {
    try (ProcessRuntime runtime = orders()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry);
      Pid pid = runtime.spawn(receiver());
      runtime.send(pid, "end");
      runtime.awaitExit(pid, LIMIT);
      assertThat(registry.find("heddle.worker.runs").functionCounters()).hasSize(2);
      for (WorkerCounters worker : runtime.workers()) {
        String number = Integer.toString(worker.number());
        assertThat(
                registry.get("heddle.worker.runs").tag("worker", number).functionCounter().count())
            .isGreaterThanOrEqualTo((double) worker.executed());
        assertThat(registry.get("heddle.worker.awake").tag("worker", number).gauge().value())
            .isBetween(0.0, 1.0);
      }
    }
  }

  @Test
  void mailboxes_ofProcessesThatAreHeld_areCounted() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (ProcessRuntime runtime = orders()) {
      new MailboxMetrics(runtime).bindTo(registry);
      Pid one =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                running.countDown();
                release.await(); // what is sent meanwhile stays in its mailbox
                return 1;
              }));
      running.await();
      Pid two = runtime.spawn(CoroutineProcess.of(self -> self.receive(Integer.class)));
      for (int i = 0; i < 5; i++) {
        runtime.send(one, "a message");
      }
      runtime.send(two, "of no interest");
      while (level("heddle.mailboxes.queued") != 6) {
        Thread.onSpinWait(); // the other one has its message in hand for a moment
      }
      assertThat(level("heddle.mailboxes.longest")).isEqualTo(5);
      release.countDown();
    }
  }

  @Test
  void meters_whenTheRuntimeShutsDown_areRemoved() {
    try (ProcessRuntime runtime = orders()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry);
      new MailboxMetrics(runtime).bindTo(registry);
      assertThat(registry.getMeters()).isNotEmpty();
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void close_removesTheMeters_andWhatItHasRegisteredWithTheRuntime() {
    try (ProcessRuntime runtime = orders()) {
      ProcessRuntimeMetrics metrics = new ProcessRuntimeMetrics(runtime);
      metrics.bindTo(registry);
      metrics.close();
      assertThat(registry.getMeters()).isEmpty();
      metrics.bindTo(registry);
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  void secondRuntime_ofTheSameName_isRefused() {
    try (ProcessRuntime runtime = orders();
        ProcessRuntime other = orders()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry);
      int meters = registry.getMeters().size();
      assertThatThrownBy(() -> new ProcessRuntimeMetrics(other).bindTo(registry))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the runtime 'orders'");
      assertThat(registry.getMeters()).hasSize(meters);
    }
  }

  @Test
  void runtime_thatHasShutDown_isRefused_andLeavesNothing() {
    ProcessRuntime runtime = orders();
    runtime.close();
    assertThatThrownBy(() -> new ProcessRuntimeMetrics(runtime).bindTo(registry))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the meters of the runtime 'orders'");
    assertThat(registry.getMeters()).isEmpty();
  }
}
