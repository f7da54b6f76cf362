// SPDX-License-Identifier: Apache-2.0
package dev.heddle.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

@Timeout(300)
class ThreadLocalContextTest {
  private static final ContextKey<String> SPAN = ContextKey.named("span");
  private static final ThreadLocal<String> PLAIN = new ThreadLocal<>();

  @BeforeAll
  static void register() {
    ContextRegistry.getInstance()
        .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor())
        .registerThreadLocalAccessor(new OpenTelemetryAccessor());
  }

  @AfterEach
  void clear() {
    MDC.clear();
    PLAIN.remove();
  }

  private static String seen() {
    return MDC.get("request") + ", " + Context.current().get(SPAN);
  }

  // ---- across a spawn ----

  @Test
  void spawn_withoutAsking_carriesNothing() {
    Heddle.run(() -> {
      MDC.put("request", "1");
      try (Scope _ = Context.root().with(SPAN, "s").makeCurrent()) {
        assertThat(Heddle.spawn(ThreadLocalContextTest::seen).await()).isEqualTo("null, null");
      }
      MDC.clear();
    });
  }

  @Test
  void wrappedBody_seesTheMdcAndTheSpanOfItsSpawner() {
    Heddle.run(() -> {
      MDC.put("request", "1");
      try (Scope _ = Context.root().with(SPAN, "s").makeCurrent()) {
        ThreadLocalContext context = ThreadLocalContext.capture();
        assertThat(Heddle.spawn(context.wrap(ThreadLocalContextTest::seen)).await())
            .isEqualTo("1, s");
      }
      MDC.clear();
    });
  }

  @Test
  void coroutines_keepTheirOwnWhileTheyWait() {
    Heddle.run(() -> {
      List<Coroutine<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String request = "r" + i;
        MDC.put("request", request);
        try (Scope _ = Context.root().with(SPAN, request).makeCurrent()) {
          all.add(
              Heddle.spawn(
                  ThreadLocalContext.capture()
                      .wrap(() -> {
                        boolean right = true;
                        for (int k = 0; k < 10; k++) {
                          right &= seen().equals(request + ", " + request);
                          Heddle.yieldNow();
                        }
                        return right;
                      })));
        }
      }
      MDC.put("request", "main");
      assertThat(all).extracting(Coroutine::await).containsOnly(true);
      assertThat(seen()).isEqualTo("main, null");
      MDC.clear();
    });
  }

  @Test
  void capture_onAThread_isSetInACoroutineOfALoop() {
    try (Loop<?> loop = Loop.start(() -> Heddle.await(Heddle.trigger("the end of the test")))) {
      MDC.put("request", "of a thread");
      String there =
          loop.submit(ThreadLocalContext.capture().wrap(ThreadLocalContextTest::seen)).join();
      assertThat(there).isEqualTo("of a thread, null");
    }
  }

  // ---- what is left ----

  @Test
  void nothing_isLeftForTheNextCoroutine() {
    Heddle.run(() -> {
      MDC.put("request", "1");
      ThreadLocalContext context = ThreadLocalContext.capture();
      MDC.clear();
      for (int i = 0; i < 20; i++) {
        Heddle.spawn(context.wrap(() -> MDC.put("more", "2"))).await();
        assertThat(Heddle.spawn(() -> MDC.getCopyOfContextMap()).await()).isNullOrEmpty();
      }
    });
  }

  @Test
  void taskOfAnotherExecutor_seesWhatWasCaptured_andLeavesNothing() throws Exception {
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      MDC.put("request", "1");
      ThreadLocalContext context = ThreadLocalContext.capture();
      Future<String> there = executor.submit(context.wrap(ThreadLocalContextTest::seen)::run);
      Future<String> after = executor.submit(ThreadLocalContextTest::seen);
      assertThat(there.get()).isEqualTo("1, null");
      assertThat(after.get()).isEqualTo("null, null");
    }
  }

  @Test
  void values_fromBefore_areSetAgain() throws Exception {
    MDC.put("request", "captured");
    ThreadLocalContext context = ThreadLocalContext.capture();
    MDC.put("request", "before");
    MDC.put("other", "before");
    context
        .wrap(
            (Action)
                () -> {
                  assertThat(MDC.getCopyOfContextMap()).containsOnlyKeys("request");
                  assertThat(seen()).isEqualTo("captured, null");
                  MDC.put("request", "changed inside");
                })
        .run();
    assertThat(MDC.get("request")).isEqualTo("before");
    assertThat(MDC.get("other")).isEqualTo("before");
  }

  @Test
  void values_areSetAgainAfterAFailure() {
    MDC.put("request", "captured");
    ThreadLocalContext context = ThreadLocalContext.capture();
    MDC.put("request", "before");
    Exception failure = new Exception("for the test");
    assertThatThrownBy(() ->
            context
                .wrap(
                    (Action)
                        () -> {
                          throw failure;
                        })
                .run())
        .isSameAs(failure);
    assertThat(seen()).isEqualTo("before, null");
  }

  @Test
  void values_areThereInTheCleanUpOfACancelledBody() {
    Heddle.run(() -> {
      List<String> log = new ArrayList<>();
      MDC.put("request", "1");
      Coroutine<?> waiting =
          Heddle.spawn(
              ThreadLocalContext.capture()
                  .wrap(
                      (Action)
                          () -> {
                            try {
                              Heddle.await(Heddle.trigger("never"));
                            } finally {
                              Heddle.yieldNow();
                              log.add(seen());
                            }
                          }));
      Heddle.yieldNow();
      waiting.cancel("for the test");
      assertThatThrownBy(waiting::await).isInstanceOf(Cancellation.class);
      assertThat(log).containsExactly("1, null");
      MDC.clear();
    });
  }

  @Test
  void absentValues_areAbsentInsideAndBackAfterwards() throws Exception {
    ThreadLocalContext nothing = ThreadLocalContext.capture();
    MDC.put("request", "outer");
    try (Scope _ = Context.root().with(SPAN, "outer").makeCurrent()) {
      assertThat(nothing.wrap(ThreadLocalContextTest::seen).run()).isEqualTo("null, null");
      assertThat(seen()).isEqualTo("outer, outer");
    }
  }

  @Test
  void wraps_nest() throws Exception {
    MDC.put("request", "1");
    ThreadLocalContext one = ThreadLocalContext.capture();
    MDC.put("request", "2");
    ThreadLocalContext two = ThreadLocalContext.capture();
    String seen =
        one.wrap(() -> seen() + " " + two.wrap(ThreadLocalContextTest::seen).run() + " " + seen())
            .run();
    assertThat(seen).isEqualTo("1, null 2, null 1, null");
  }

  // ---- other accessors ----

  @Test
  void snapshot_ofAFactoryOfOnesOwn_isUsed() throws Exception {
    ContextRegistry registry =
        new ContextRegistry().registerThreadLocalAccessor(new PlainAccessor());
    PLAIN.set("captured");
    ThreadLocalContext context =
        ThreadLocalContext.of(
            ContextSnapshotFactory.builder().contextRegistry(registry).build().captureAll());
    PLAIN.set("before");
    assertThat(context.wrap(PLAIN::get).run()).isEqualTo("captured");
    assertThat(PLAIN.get()).isEqualTo("before");
  }

  private static final class PlainAccessor implements ThreadLocalAccessor<String> {
    @Override
    public Object key() {
      return "plain";
    }

    @Override
    public String getValue() {
      return PLAIN.get();
    }

    @Override
    public void setValue(String value) {
      PLAIN.set(value);
    }

    @Override
    public void setValue() {
      PLAIN.remove();
    }
  }
}
