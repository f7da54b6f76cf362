// SPDX-License-Identifier: Apache-2.0
package dev.heddle.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/// The code that the documentation of contexts shows.
@Tag("once")
class ContextSnippetsTest {
  @BeforeAll
  static void register() {
    // @start region=register
    ContextRegistry.getInstance()
        .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor())
        .registerThreadLocalAccessor(new OpenTelemetryAccessor());
    // @end
  }

  @Test
  void wrap() {
    Heddle.run(() -> {
      // @start region=wrap
      MDC.put("request", "17");
      ThreadLocalContext context = ThreadLocalContext.capture();
      Coroutine<String> plain = Heddle.spawn(() -> MDC.get("request")); // null
      Coroutine<String> carried = Heddle.spawn(context.wrap(() -> MDC.get("request"))); // "17"
      // @end
      assertThat(plain.await()).isNull();
      assertThat(carried.await()).isEqualTo("17");
      MDC.clear();
    });
  }

  @Test
  void many() {
    Heddle.run(() -> {
      MDC.put("request", "17");
      // @start region=many
      ThreadLocalContext context = ThreadLocalContext.capture();
      List<String> results =
          Heddle.scope(scope -> {
            Coroutine<String> one = scope.spawn(context.wrap(() -> load("one")));
            Coroutine<String> two = scope.spawn(context.wrap(() -> load("two")));
            return List.of(one.await(), two.await());
          });
      // @end
      assertThat(results).containsExactly("one of 17", "two of 17");
      MDC.clear();
    });
  }

  @Test
  void executor() throws Exception {
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      MDC.put("request", "17");
      // @start region=executor
      ThreadLocalContext context = ThreadLocalContext.capture();
      Future<String> one = executor.submit(context.wrap(() -> load("one"))::run);
      // or all tasks, each with what its sender has
      ExecutorService carrying =
          ContextExecutorService.wrap(
              executor, ContextSnapshotFactory.builder().clearMissing(true).build()::captureAll);
      Future<String> two = carrying.submit(() -> load("two"));
      // @end
      MDC.clear();
      assertThat(one.get()).isEqualTo("one of 17");
      assertThat(two.get()).isEqualTo("two of 17");
      assertThat(executor.submit(() -> load("three")).get()).isEqualTo("three of null");
    }
  }

  private static String load(String what) {
    return what + " of " + MDC.get("request");
  }
}
