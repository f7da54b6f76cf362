// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Values of scopes and coroutines, and what is inherited from where.
@Timeout(300)
class ContextTest {
  private static final Context.Key<String> USER = Context.Key.named("user");
  private static final Context.Key<Integer> LEVEL = Context.Key.named("level");

  private final List<String> log = new ArrayList<>();

  @Test
  @Tag("loop-136")
  void missingValue_isNullForFindAndAnErrorForGet() {
    Heddle.run(() -> {
      Context context = Context.current();
      assertThat(context.find(USER)).isNull();
      assertThat(context.findLocal(USER)).isNull();
      assertThat(context.has(USER)).isFalse();
      assertThat(context.hasLocal(USER)).isFalse();
      assertThatThrownBy(() -> context.get(USER))
          .isInstanceOf(NoSuchElementException.class)
          .hasMessageContaining("context key 'user' not found");
      assertThatThrownBy(() -> context.getLocal(USER))
          .isInstanceOf(NoSuchElementException.class)
          .hasMessageContaining("'user'");
    });
  }

  @Test
  @Tag("loop-137")
  void valueOfAParentScope_isSeenInAChildButIsNotLocalThere() {
    Heddle.run(() -> {
      Context.current().set(USER, "root's").set(LEVEL, 0);
      Heddle.scope(outer ->
          Heddle.scope(inner -> {
            assertThat(inner.context().get(USER)).isEqualTo("root's");
            assertThat(inner.context().find(LEVEL)).isZero();
            assertThat(inner.context().has(USER)).isTrue();
            assertThat(inner.context().hasLocal(USER)).isFalse();
            assertThat(inner.context().findLocal(USER)).isNull();
            assertThatThrownBy(() -> inner.context().getLocal(USER))
                .isInstanceOf(NoSuchElementException.class);
            return null;
          }));
    });
  }

  @Test
  @Tag("loop-137")
  void localValue_hidesTheParentsUntilItIsUnset() {
    Heddle.run(() -> {
      Context.root().set(USER, "root's");
      Heddle.scope(s -> {
        Context local = s.context().set(USER, "local");
        assertThat(local.get(USER)).isEqualTo("local");
        assertThat(local.getLocal(USER)).isEqualTo("local");
        assertThat(Context.root().get(USER)).isEqualTo("root's");
        local.unset(USER);
        assertThat(local.get(USER)).isEqualTo("root's");
        return null;
      });
    });
  }

  @Test
  @Tag("loop-138")
  void keys_areToldApartByIdentity() {
    Heddle.run(() -> {
      Context.Key<String> sameName = Context.Key.named("user");
      Context.current().set(USER, "one");
      assertThat(Context.current().find(sameName)).isNull();
      assertThat(sameName).hasToString("user");
    });
  }

  @Test
  @Tag("loop-140")
  void valuesWrittenBeforeTheFirstSpawn_areSeenByCoroutinesInTheSameObject() {
    Heddle.run(() -> {
      Context context = Context.current().set(USER, "early");
      assertThat(Context.current()).isSameAs(context);
      for (int i = 0; i < 2; i++) {
        Heddle.launch(
            "member",
            () -> {
              assertThat(Context.current()).isSameAs(context);
              log.add(Context.current().get(USER));
            });
      }
    });
    assertThat(log).containsExactly("early", "early");
  }

  @Test
  @Tag("loop-140")
  void context_outsideALoop_namesTheCallToMake() {
    assertThatThrownBy(Context::current)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  @Test
  @Tag("loop-141")
  void rootContext_isReachedFromEveryScopeButDetachedOnes() {
    Heddle.run(() -> {
      assertThat(Context.root()).isSameAs(Scope.root().context());
      Context.root().set(USER, "root's");
      Scope inheriting = Scope.current().child();
      Scope detached = Scope.detached();
      assertThat(inheriting.context().find(USER)).isEqualTo("root's");
      assertThat(detached.context().find(USER)).isNull();
      assertThat(detached.child().context().find(USER)).isNull();
      assertThat(Scope.root().children()).containsExactly(inheriting, detached);
    });
  }

  @Test
  @Tag("loop-142")
  void ownContextOfACoroutine_isAnotherThanItsScopesAndStaysAfterItsEnd() {
    Heddle.run(() -> {
      Context.current().set(USER, "the scope's");
      var worker =
          Heddle.spawn(() -> {
            Context own = Heddle.current().ownContext();
            assertThat(own).isNotSameAs(Context.current());
            assertThat(own.get(USER)).isEqualTo("the scope's");
            own.set(USER, "the coroutine's");
            assertThat(Context.current().get(USER)).isEqualTo("the scope's");
            return own;
          });
      Context own = worker.await();
      assertThat(worker.ownContext()).isSameAs(own);
      assertThat(own.get(USER)).isEqualTo("the coroutine's");
    });
  }

  @Test
  @Tag("loop-142")
  void ownContext_isReadableWhenTheLoopHasEnded() {
    Coroutine<Integer> worker =
        Heddle.run(() -> {
          Coroutine<Integer> spawned = Heddle.spawn(() -> 1);
          spawned.ownContext().set(USER, "kept");
          return spawned;
        });
    assertThat(worker.ownContext().get(USER)).isEqualTo("kept");
  }

  @Test
  void context_ofAnotherLoop_isNotWritten() {
    Heddle.run(() -> {
      Context ofAnother = Loop.start(Context::current).join();
      assertThatThrownBy(() -> ofAnother.set(USER, "x")).isInstanceOf(IllegalStateException.class);
    });
  }

  // ---- ScopedValue ----

  private static final ScopedValue<String> TENANT = ScopedValue.newInstance();
  private static final ScopedValue<String> LOCALE = ScopedValue.newInstance();

  @Test
  void scopedValues_areHandedOnByBindingsAndNotByASpawn() {
    Heddle.run(() ->
        ScopedValue.where(TENANT, "acme")
            .run(() -> {
              ScopedBindings bindings = ScopedBindings.capture(TENANT, LOCALE);
              assertThat(Heddle.spawn(() -> TENANT.isBound()).await()).isFalse();
              assertThat(Heddle.spawn(bindings.wrap(() -> TENANT.get())).await()).isEqualTo("acme");
              assertThat(Heddle.spawn(bindings.wrap(() -> LOCALE.isBound())).await()).isFalse();
              Heddle.launch(
                  "action",
                  bindings.wrap(() -> {
                    log.add(TENANT.get());
                  }));
              Heddle.yieldNow();
            }));
    assertThat(log).containsExactly("acme");
  }

  @Test
  void bindings_stayWithTheirCoroutineAcrossSuspensions() {
    Heddle.run(() -> {
      for (String tenant : List.of("a", "b")) {
        ScopedValue.where(TENANT, tenant)
            .run(() ->
                Heddle.launch(
                    tenant,
                    ScopedBindings.capture(TENANT)
                        .wrap(() -> {
                          Heddle.yieldNow();
                          log.add(TENANT.get());
                        })));
      }
    });
    assertThat(log).containsExactly("a", "b");
  }

  @Test
  void bindings_ofNothingBound_changeNothing() {
    dev.heddle.Body<Integer> body = () -> 1;
    assertThat(ScopedBindings.capture(TENANT).wrap(body)).isSameAs(body);
  }
}
