// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.SpawnSites;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Where a coroutine was spawned, and how often the stack is walked to learn it.
@Tag("loop-28")
@Timeout(300)
class SpawnSiteTest {
  private final List<Coroutine<?>> spawned = new ArrayList<>();
  private final List<Integer> lines = new ArrayList<>();

  private static int here() {
    return StackWalker.getInstance()
        .walk(frames -> frames.skip(1).findFirst())
        .orElseThrow()
        .getLineNumber();
  }

  /// The next line of the test spawns.
  private void at(int line) {
    lines.add(line + 1);
  }

  private void assertSites() {
    assertThat(spawned).hasSameSizeAs(lines);
    for (int i = 0; i < spawned.size(); i++) {
      assertThat(spawned.get(i).toString())
          .endsWith("(SpawnSiteTest.java:" + lines.get(i) + ")")
          .contains(" spawned at " + SpawnSiteTest.class.getName());
    }
  }

  private static Object site(Coroutine<?> coroutine) {
    return ((CoroutineNode<?>) coroutine).site();
  }

  // ---- how often the stack is walked ----

  private static int walksFor(int times, Body<?> body) {
    int before = SpawnSites.walks(body.getClass());
    Heddle.run(() -> {
      for (int i = 0; i < times; i++) {
        Heddle.spawn(body);
        Heddle.yieldNow();
      }
    });
    return SpawnSites.walks(body.getClass()) - before;
  }

  @Test
  void lambda_inALoop_isLookedForNowAndThen() {
    Body<Integer> body = () -> 1;
    assertThat(walksFor(1, body)).isOne();
    assertThat(walksFor(1, body)).isOne();
    assertThat(walksFor(2, body)).isOne();
    assertThat(walksFor(4, body)).isOne();
    assertThat(walksFor(8_184, body)).isEqualTo(10); // 16, 32, ... 4096, 8192
    assertThat(walksFor(40_960, body)).isEqualTo(10); // each 4096th
  }

  @Test
  void lambdaThatCaptures_inALoop_isLookedForNowAndThen() {
    Heddle.run(() -> {
      for (int i = 0; i < 1_000; i++) {
        int captured = i;
        spawned.add(Heddle.spawn(() -> captured));
      }
    });
    assertThat(site(spawned.getLast())).isSameAs(site(spawned.getFirst()));
  }

  @Test
  void oneCoroutine_spawningAtOneLine_makesOneTraceForAll() {
    Heddle.run(() -> {
      for (int i = 0; i < 10; i++) {
        spawned.add(Heddle.spawn(() -> 1));
      }
    });
    assertThat(spawned).extracting(SpawnSiteTest::site).containsOnly(site(spawned.getFirst()));
    assertThat(site(spawned.getLast())).isSameAs(site(spawned.getFirst()));
  }

  // ---- shapes of bodies ----

  private static final class Named implements Body<Integer> {
    @Override
    public Integer run() {
      return 1;
    }
  }

  @Test
  void classWithAName_spawnedAtTwoLines_hasBoth() {
    Heddle.run(() -> {
      for (int i = 0; i < 100; i++) {
        at(here());
        spawned.add(Heddle.spawn(new Named()));
        at(here());
        spawned.add(Heddle.spawn(new Named()));
      }
    });
    assertSites();
  }

  private static final class Late implements Body<Integer> {
    @Override
    public Integer run() {
      return 1;
    }
  }

  @Test
  void secondLine_ofAClassThatWasSpawnedOften_isNoticed() {
    Heddle.run(() -> {
      for (int i = 0; i < 1_000; i++) {
        Heddle.spawn(new Late());
      }
      for (int i = 0; i < 5_000; i++) {
        Heddle.spawn(new Late());
      }
      at(here());
      spawned.add(Heddle.spawn(new Late()));
      at(here());
      spawned.add(Heddle.spawn(new Late()));
    });
    assertSites();
  }

  private static Body<Integer> made(int value) {
    return () -> value;
  }

  @Test
  void lambda_thatAMethodReturns_hasTheLineOfItsSpawn() {
    Heddle.run(() -> {
      at(here());
      spawned.add(Heddle.spawn(made(1)));
      at(here());
      spawned.add(Heddle.spawn(made(2)));
      at(here());
      spawned.add(Heddle.spawn(made(3)));
    });
    assertSites();
  }

  private Coroutine<?> helper(Body<?> body) {
    at(here());
    return Heddle.spawn(body);
  }

  @Test
  void helperThatTakesABody_isTheSite() {
    Heddle.run(() -> {
      spawned.add(helper(() -> 1));
      spawned.add(helper(() -> 2));
      spawned.add(helper(new Named()));
    });
    assertSites();
  }

  private Integer one() {
    return 1;
  }

  @Test
  void methodReferences_haveTheirOwnLines() {
    Heddle.run(() -> {
      at(here());
      spawned.add(Heddle.spawn(this::one));
      at(here());
      spawned.add(Heddle.spawn(this::one));
    });
    assertSites();
  }

  @Test
  void anonymousClass_hasTheLineOfItsSpawn() {
    Heddle.run(() -> {
      at(here() + 1);
      spawned.add(
          Heddle.spawn(
              new Body<Integer>() {
                @Override
                public Integer run() {
                  return 1;
                }
              }));
    });
    assertThat(spawned.getFirst().toString()).contains("(SpawnSiteTest.java:" + lines.getFirst());
  }

  @Test
  void nestedLambdas_haveEachTheirOwnLine() {
    Heddle.run(() -> {
      at(here() + 1);
      Coroutine<?> outer =
          Heddle.spawn(() -> {
            at(here());
            spawned.add(Heddle.spawn(() -> 1));
            return 1;
          });
      spawned.add(outer);
    });
    assertSites();
  }

  private final IllegalStateException failure = new IllegalStateException("x");

  private void recurse(int depth) {
    if (depth == 0) {
      throw failure;
    }
    at(here());
    spawned.add(Heddle.spawn(() -> deeper(depth)));
  }

  private @Nullable Void deeper(int depth) {
    recurse(depth - 1);
    return null;
  }

  @Test
  void recursion_hasOneLine_andTheChainOfItsSpawners() {
    assertThatThrownBy(() -> Heddle.run(() -> recurse(20))).isSameAs(failure);
    assertThat(spawned).hasSize(20);
    assertSites();
    List<String> chain = Objects.requireNonNull(Heddle.reportOf(failure)).spawnedBy();
    assertThat(chain).hasSize(20);
    assertThat(chain.getFirst())
        .startsWith("coroutine-20 spawned at ")
        .endsWith("(SpawnSiteTest.java:" + lines.getFirst() + ")");
    assertThat(chain.getLast()).isEqualTo("coroutine-1 'main'");
  }

  // ---- class loaders ----

  @Test
  void classesOfTwoLoaders_haveTheSameLine() throws Exception {
    Body<String> first = new SpawnSiteProgram.Loader().load();
    Body<String> second = new SpawnSiteProgram.Loader().load();
    assertThat(first.getClass()).isNotSameAs(second.getClass());
    String site = " spawned at " + SpawnSiteProgram.class.getName() + ".";
    for (Body<String> program : List.of(first, second)) {
      assertThat(Heddle.<String>run(program)).contains(site).contains("(SpawnSiteProgram.java:");
    }
  }

  private WeakReference<ClassLoader> spawnedFromAClassLoader() throws Exception {
    SpawnSiteProgram.Loader loader = new SpawnSiteProgram.Loader();
    Body<String> body = loader.load();
    spawned.add(Heddle.spawn(body)); // the body itself is of that loader, and what it spawns
    assertThat(spawned.getLast().await().toString()).contains("(SpawnSiteProgram.java:");
    return new WeakReference<>(loader);
  }

  @Test
  void classesOfABody_areUnloaded() {
    Heddle.run(() -> {
      WeakReference<ClassLoader> loader = spawnedFromAClassLoader();
      while (!loader.refersTo(null)) {
        System.gc();
        Heddle.yieldNow();
      }
      assertThat(spawned.getFirst().toString()).contains("(SpawnSiteTest.java:");
    });
  }
}
