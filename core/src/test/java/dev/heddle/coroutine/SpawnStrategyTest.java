// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Spawning where, and as, somebody else says.
@Timeout(300)
class SpawnStrategyTest {
  private final IllegalStateException failure = new IllegalStateException("x");
  private final List<String> log = new ArrayList<>();

  private class Noting implements SpawnStrategy {
    private final @Nullable Scope scope;
    @Nullable Coroutine<?> before;

    Noting(@Nullable Scope scope) {
      this.scope = scope;
    }

    @Override
    public @Nullable Scope provideScope() {
      log.add("provide");
      return scope;
    }

    @Override
    public void beforeEnqueue(Coroutine<?> coroutine, Scope into) {
      assertThat(into).isSameAs(scope == null ? Scope.current() : scope);
      assertThat(coroutine.isQueued()).isFalse();
      before = coroutine;
      log.add("before");
    }

    @Override
    public void afterEnqueue(Coroutine<?> coroutine, Scope into) {
      assertThat(coroutine).isSameAs(before);
      assertThat(coroutine.isQueued()).isTrue();
      log.add("after");
    }
  }

  @Test
  @Tag("loop-14")
  void providerThatSaysNothing_meansTheCurrentScope() {
    Heddle.run(() ->
        Heddle.scope(s -> {
          Heddle.spawnWith(
              () -> null,
              () -> {
                assertThat(Scope.current()).isSameAs(s);
                return log.add("ran");
              });
          return null;
        }));
    assertThat(log).containsExactly("ran");
  }

  @Test
  @Tag("loop-14")
  void providerThatSaysAScope_meansThatOne() {
    Heddle.run(() -> {
      Scope mine = Scope.current().child();
      var worker = Heddle.spawnWith(() -> mine, () -> Scope.current());
      assertThat(worker.await()).isSameAs(mine);
    });
  }

  @Test
  @Tag("loop-16")
  void strategy_isCalledInOrderAndThenTheBodyRuns() {
    Heddle.run(() -> {
      for (Scope scope : new Scope[] {Scope.current().child(), null}) {
        var worker =
            Heddle.spawnWith(
                new Noting(scope),
                () -> {
                  log.add("body");
                  return "result";
                });
        log.add("spawned");
        assertThat(worker.await()).isEqualTo("result");
      }
    });
    assertThat(log).hasSize(10).startsWith("provide", "before", "after", "spawned", "body");
  }

  @Test
  @Tag("loop-17")
  void failureOfTheBody_reachesTheAwaiterAfterTheStrategyWasCalled() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawnWith(
              new Noting(null),
              () -> {
                throw failure;
              });
      assertThat(log).containsExactly("provide", "before", "after");
      assertThatThrownBy(worker::await).isSameAs(failure);
    });
  }

  @Test
  void strategyThatThrowsBefore_meansThereIsNoCoroutine() {
    Heddle.run(() -> {
      int before = Heddle.counters().coroutines();
      assertThatThrownBy(() ->
              Heddle.spawnWith(
                  new Noting(null) {
                    @Override
                    public void beforeEnqueue(Coroutine<?> coroutine, Scope into) {
                      throw failure;
                    }
                  },
                  () -> log.add("ran")))
          .isSameAs(failure);
      assertThat(Heddle.counters().coroutines()).isEqualTo(before);
    });
    assertThat(log).containsExactly("provide");
  }

  @Test
  void strategyThatThrowsAfter_meansTheCoroutineNeverRuns() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.spawnWith(
                    new Noting(null) {
                      @Override
                      public void afterEnqueue(Coroutine<?> coroutine, Scope into) {
                        throw failure;
                      }
                    },
                    () -> log.add("ran")))
            .isSameAs(failure));
    assertThat(log).containsExactly("provide", "before");
  }

  @Test
  void coroutineCancelledByItsStrategy_neverRuns() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawnWith(
              new Noting(null) {
                @Override
                public void beforeEnqueue(Coroutine<?> coroutine, Scope into) {
                  coroutine.cancel("not today");
                }

                @Override
                public void afterEnqueue(Coroutine<?> coroutine, Scope into) {}
              },
              () -> log.add("ran"));
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class).hasMessage("not today");
    });
    assertThat(log).containsExactly("provide");
  }

  @Test
  void strategy_mayGiveTheCoroutineWhatItNeeds() {
    Context.Key<String> user = Context.Key.named("user");
    SpawnStrategy asUser =
        new SpawnStrategy() {
          @Override
          public @Nullable Scope provideScope() {
            return null;
          }

          @Override
          public void beforeEnqueue(Coroutine<?> coroutine, Scope into) {
            coroutine.ownContext().set(user, "ann");
            coroutine.setHighPriority().onCompletion(ended -> log.add("ended"));
          }
        };
    Heddle.run(() -> {
      Heddle.launch("spawned before", () -> log.add("spawned before"));
      Heddle.spawnWith(asUser, () -> log.add(Heddle.current().ownContext().get(user)));
    });
    assertThat(log).containsExactly("ann", "spawned before", "ended");
  }

  @Test
  void scopeOfAnotherCoroutine_withAStrategy_isRefused() {
    Heddle.run(() -> {
      Scope mine = Scope.current();
      Scope foreign =
          (Scope)
              java.lang.reflect.Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {Scope.class},
                  (proxy, method, args) -> method.invoke(mine, args));
      assertThatThrownBy(() -> Heddle.spawnWith(new Noting(foreign), () -> 1))
          .isInstanceOf(IllegalArgumentException.class);
    });
  }
}
