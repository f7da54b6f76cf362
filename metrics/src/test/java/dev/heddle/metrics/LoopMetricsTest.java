// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.event.Promise;
import dev.heddle.observe.LoopCounters;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("loop-323")
class LoopMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private double level(String name) {
    return registry.get(name).tag("loop", "orders").gauge().value();
  }

  private long count(String name) {
    return (long) registry.get(name).tag("loop", "orders").functionCounter().count();
  }

  private static HeddleOptions orders() {
    return HeddleOptions.defaults().withName("orders");
  }

  /// Binds the meters of the current loop; a coroutine of it reads them, so nothing runs meanwhile.
  private LoopMetrics bound() {
    LoopMetrics metrics = new LoopMetrics(Loop.current());
    metrics.bindTo(registry);
    return metrics;
  }

  @Test
  void counts_afterKnownWork_areThoseOfTheLoop() {
    Heddle.run(
        orders(),
        () -> {
          bound();
          long before = count("heddle.loop.switches");
          var other = Heddle.spawn(() -> yieldTimes(100));
          yieldTimes(100);
          other.await();
          LoopCounters counters = Heddle.counters();
          assertThat(count("heddle.loop.switches")).isEqualTo(counters.switches());
          assertThat(count("heddle.loop.switches") - before).isGreaterThanOrEqualTo(200);
          assertThat(count("heddle.loop.retried")).isEqualTo(counters.retriedMounts());
          assertThat(count("heddle.loop.self.resumes")).isEqualTo(counters.selfResumes());
          assertThat(count("heddle.loop.reused.starts")).isEqualTo(counters.reusedStarts());
          assertThat(count("heddle.loop.immediate.waits")).isEqualTo(counters.immediateWaits());
          assertThat(count("heddle.loop.contexts")).isEqualTo(counters.contexts());
          assertThat(count("heddle.loop.polls")).isEqualTo(counters.polls());
          assertThat(count("heddle.loop.sleeps")).isEqualTo(counters.sleeps());
          assertThat(level("heddle.loop.timers")).isEqualTo(counters.timers());
        });
  }

  /// Waits until the test closes the loop.
  private static int rest() {
    Heddle.delay(Duration.ofDays(1));
    return 1;
  }

  private static void yieldTimes(int times) {
    for (int i = 0; i < times; i++) {
      Heddle.yieldNow();
    }
  }

  @Test
  void levels_whileCoroutinesWait_countThem() {
    Heddle.run(
        orders(),
        () -> {
          bound();
          Promise<Integer> gate = Heddle.promise();
          CountDownLatch foreign = new CountDownLatch(1);
          for (int i = 0; i < 7; i++) {
            Heddle.spawn(() -> gate.future().await());
          }
          for (int i = 0; i < 3; i++) {
            Heddle.spawn(() -> foreign.await());
          }
          assertThat(level("heddle.loop.ready")).isEqualTo(10);
          Heddle.yieldNow();
          assertThat(level("heddle.loop.live")).isEqualTo(11);
          assertThat(level("heddle.loop.ready")).isZero();
          assertThat(level("heddle.loop.waiting")).isEqualTo(7);
          assertThat(level("heddle.loop.foreign")).isEqualTo(3);
          gate.complete(1);
          foreign.countDown();
        });
  }

  @Test
  void reading_whileTheLoopIsHeld_doesNotWait() throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    try (Loop<?> loop =
        Loop.start(
            orders(),
            () -> {
              held.countDown();
              while (read.getCount() > 0) { // holds the loop's thread until all has been read
                Thread.onSpinWait();
              }
              return 1;
            })) {
      new LoopMetrics(loop).bindTo(registry);
      held.await();
      registry.getMeters().forEach(meter -> meter.measure().forEach(each -> each.getValue()));
      assertThat(level("heddle.loop.live")).isEqualTo(1);
      assertThat(registry.get("heddle.loop.held").timeGauge().value()).isNotNaN();
      read.countDown();
    }
  }

  @Test
  void meters_whenTheLoopHasEnded_areRemoved() {
    Heddle.run(
        orders(),
        () -> {
          bound();
          assertThat(registry.getMeters()).hasSize(15);
        });
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void meters_ofALoopThatHasEnded_areNotBound() {
    Loop<Integer> loop = Loop.start(orders(), () -> 1);
    loop.join();
    new LoopMetrics(loop).bindTo(registry);
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void close_removesTheMetersOfAllRegistries_andNoOthers() {
    MeterRegistry second = new SimpleMeterRegistry();
    registry.counter("another");
    Heddle.run(
        orders(),
        () -> {
          LoopMetrics metrics = bound();
          metrics.bindTo(second);
          metrics.close();
          assertThat(registry.getMeters()).hasSize(1);
          assertThat(second.getMeters()).isEmpty();
          metrics.bindTo(second);
          assertThat(second.getMeters()).isEmpty();
        });
  }

  @Test
  void secondLoop_ofTheSameName_isRefused_andIsToldApartByATag() {
    CountDownLatch removed = new CountDownLatch(15);
    registry.config().onMeterRemoved(_ -> removed.countDown());
    Heddle.run(
        orders(),
        () -> {
          bound();
          try (Loop<?> other = Loop.start(orders(), () -> rest())) {
            assertThatThrownBy(() -> new LoopMetrics(other).bindTo(registry))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("heddle.loop.live")
                .hasMessageContaining("orders");
            new LoopMetrics(other, Tags.of("shard", "2")).bindTo(registry);
            assertThat(registry.getMeters()).hasSize(30);
          }
          // the other loop's thread does it when the result is there
          assertThat(removed.await(240, TimeUnit.SECONDS)).isTrue();
          assertThat(registry.getMeters()).hasSize(15);
        });
  }

  @Test
  void counter_whoseLoopNobodyElseKnows_keepsCounting() {
    Heddle.run(
        orders(),
        () -> {
          bound();
          FunctionCounter switches = registry.get("heddle.loop.switches").functionCounter();
          System.gc();
          yieldTimes(10);
          assertThat((long) switches.count()).isEqualTo(Heddle.counters().switches());
          assertThat(level("heddle.loop.live")).isOne();
        });
  }
}
