// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.process.ProcessRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of metrics shows.
@Tag("once")
class MetricsSnippetsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void loop() {
    // @start region=loop
    Heddle.run(() -> {
      new LoopMetrics(Loop.current()).bindTo(registry); // until the loop ends
      serve();
    });
    // @end
    assertThat(registry.getMeters()).isEmpty();
  }

  private void serve() {
    assertThat(registry.getMeters()).isNotEmpty();
  }

  @Test
  void tags() {
    // @start region=tags
    try (Loop<?> loop = Loop.start(() -> handleRequests())) {
      new LoopMetrics(loop, Tags.of("shard", "2")).bindTo(registry);
      serve();
    }
    // @end
  }

  private static int handleRequests() {
    Heddle.delay(Duration.ofDays(1));
    return 0;
  }

  @Test
  void runtime() {
    // @start region=runtime
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry); // until the shutdown begins
      serve();
    }
    // @end
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void mailboxes() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      // @start region=mailboxes
      new MailboxMetrics(runtime).bindTo(registry); // each scrape reads all processes
      // @end
      serve();
    }
  }
}
