// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.observe.CoroutineSnapshot.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DumpTest {
  private static final Duration LONG = Duration.ofHours(1);

  private static CoroutineSnapshot named(Dump dump, String name) {
    return dump.coroutines().stream()
        .filter(c -> name.equals(c.name()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no '" + name + "' in\n" + dump));
  }

  /// Runs `program`, and then stops the loop with everything that still waits in it.
  private static <T extends @Nullable Object> T observed(Body<T> program) {
    return Heddle.run(() ->
        Heddle.scope(s -> {
          T seen = program.run();
          s.cancel("seen");
          return seen;
        }));
  }

  private static void delay() {
    Heddle.delay(LONG);
  }

  @Test
  void states_ofAllKinds_areToldApart() {
    Dump dump =
        observed(() -> {
          Heddle.launch("waiting", DumpTest::delay);
          Heddle.launch("foreign", () -> Thread.sleep(LONG));
          Heddle.launch("ready", Heddle::yieldNow);
          Heddle.yieldNow();
          Heddle.launch("new", () -> {});
          return Heddle.dump();
        });
    assertThat(dump.coroutines())
        .extracting(CoroutineSnapshot::label, CoroutineSnapshot::state, CoroutineSnapshot::status)
        .containsExactly(
            tuple("coroutine-1 'main'", State.RUNNING, "NO_STATUS"),
            tuple("coroutine-2 'waiting'", State.WAITING, "WAITING"),
            tuple("coroutine-3 'foreign'", State.FOREIGN, "NO_STATUS"),
            tuple("coroutine-4 'ready'", State.READY, "QUEUED"),
            tuple("coroutine-5 'new'", State.NEW, "QUEUED"));
  }

  @Test
  @Tag("loop-310")
  void coroutinesThatWaitForOneScope_shareWhatIsSaidOfIt() {
    int many = 100;
    Dump dump =
        observed(() -> {
          Scope awaited = Scope.current().child();
          for (int i = 0; i < many; i++) {
            awaited.launch("member", DumpTest::delay);
          }
          for (int i = 0; i < many; i++) {
            Heddle.launch("joins", awaited::join);
          }
          Heddle.yieldNow();
          return Heddle.dump();
        });
    List<WaitSnapshot> waits =
        dump.coroutines().stream()
            .filter(c -> "joins".equals(c.name()))
            .map(c -> c.waits().getFirst())
            .toList();
    assertThat(waits).hasSize(many);
    assertThat(waits.getFirst().holders()).hasSize(many);
    assertThat(waits).allMatch(wait -> wait == waits.getFirst());
  }

  @Test
  @Tag("loop-310")
  void scopesInOneAnother_nameEachMemberOnce() {
    int deep = 50;
    Dump dump =
        observed(() -> {
          Heddle.launch("outermost", () -> inScopes(deep));
          for (int i = 0; i <= deep; i++) {
            Heddle.yieldNow();
          }
          return Heddle.dump();
        });
    assertThat(dump.coroutines().stream().flatMap(c -> c.waits().stream()))
        .hasSize(deep + 1)
        .allMatch(wait -> wait.holders().size() <= 1);
  }

  private static void inScopes(int deep) {
    if (deep == 0) {
      delay();
    } else {
      Heddle.scope(s -> s.spawn(() -> inScopes(deep - 1)));
    }
  }

  @Test
  void dump_takenByACoroutine_suspendsNoOther() {
    LoopCounters[] counted = new LoopCounters[2];
    observed(() -> {
      Heddle.launch("waiting", DumpTest::delay);
      Heddle.launch("foreign", () -> new LinkedBlockingQueue<String>().take());
      Heddle.yieldNow();
      counted[0] = Heddle.counters();
      Heddle.dump();
      counted[1] = Heddle.counters();
      return null;
    });
    assertThat(counted[1]).isEqualTo(counted[0]);
  }

  @Test
  void dump_takenAgainAndAgain_losesNoResume() {
    int turns = 2_000;
    int seen =
        Heddle.run(() -> {
          Coroutine<Integer> other = Heddle.spawn(() -> turns(turns));
          for (int i = 0; i < turns; i++) {
            assertThat(Heddle.dump().coroutines()).isNotEmpty();
            Heddle.yieldNow();
          }
          return other.await();
        });
    assertThat(seen).isEqualTo(turns);
  }

  private static int turns(int turns) {
    int taken = 0;
    while (taken < turns) {
      Heddle.yieldNow();
      taken++;
    }
    return taken;
  }

  @Test
  @Tag("W2")
  void waits_nameEachEventAndWhatHasFired() {
    CoroutineSnapshot[] seen = new CoroutineSnapshot[2];
    observed(() -> {
      Coroutine<?> target = Heddle.spawn("target", DumpTest::endless);
      Heddle.spawn("waiter", () -> target.await(Deadline.after(LONG)));
      Heddle.yieldNow();
      seen[0] = named(Heddle.dump(), "waiter");
      target.cancel("enough");
      Heddle.yieldNow();
      seen[1] = named(Heddle.dump(), "waiter");
      return null;
    });
    assertThat(seen[0].waits())
        .extracting(WaitSnapshot::on, WaitSnapshot::fired, WaitSnapshot::holders)
        .satisfiesExactly(
            first -> assertThat(first).isEqualTo(tuple("coroutine-2 'target'", false, List.of(2L))),
            second -> assertThat(second.toList().getFirst().toString()).startsWith("a timer, due"));
    assertThat(seen[1].state()).isEqualTo(State.READY);
    assertThat(seen[1].outcome()).isEqualTo("dev.heddle.Cancellation");
  }

  private static Object endless() {
    Heddle.delay(LONG);
    return "never";
  }

  @Test
  @Tag("loop-29")
  void waitsOfACoroutine_inAnyState_areAList() {
    Heddle.run(() -> {
      Coroutine<?> done = Heddle.spawn(() -> 1);
      Coroutine<?> parked = Heddle.spawn(() -> done.await(Deadline.after(LONG)));
      Coroutine<?> cancelled = Heddle.spawn(() -> 1);
      assertThat(Heddle.current().waits()).isEmpty();
      assertThat(parked.waits()).as("not started").isEmpty();
      cancelled.cancel("not needed");
      assertThat(cancelled.waits()).isEmpty();
      Coroutine<?> sleeper = Heddle.spawn(DumpTest::endless);
      Heddle.yieldNow();
      assertThat(sleeper.waits()).singleElement().extracting(WaitSnapshot::on).isNotNull();
      sleeper.cancel("seen");
      assertThat(done.await()).isEqualTo(1);
      assertThat(done.waits()).as("done").isEmpty();
    });
  }

  @Test
  void sites_areTheProgramsOwnLines() {
    CoroutineSnapshot waiting =
        observed(() -> {
          Heddle.launch("waiting", DumpTest::delay);
          Heddle.yieldNow();
          return named(Heddle.dump(), "waiting");
        });
    assertThat(waiting.spawnSite())
        .startsWith(DumpTest.class.getName() + ".lambda$sites_areTheProgramsOwnLines$")
        .contains("(DumpTest.java:");
    assertThat(waiting.suspendSite())
        .startsWith(DumpTest.class.getName() + ".delay(DumpTest.java:");
    assertThat(waiting.stack()).hasSize(1);
  }

  @Test
  void stack_ofTheOneWhoAsks_endsWhereItAsks() {
    CoroutineSnapshot self = observed(() -> named(ask(), "main"));
    assertThat(self.stack().getFirst().getMethodName()).isEqualTo("ask");
  }

  private static Dump ask() {
    return Heddle.dump();
  }

  @Test
  void waited_isNeverLessThanTheWait() {
    Duration passed = Duration.ofMillis(20);
    CoroutineSnapshot[] seen = new CoroutineSnapshot[2];
    observed(() -> {
      Heddle.launch("waiting", DumpTest::delay);
      Heddle.launch("foreign", () -> new LinkedBlockingQueue<String>().take());
      Heddle.yieldNow();
      Heddle.delay(passed);
      Dump dump = Heddle.dump();
      seen[0] = named(dump, "waiting");
      seen[1] = named(dump, "foreign");
      return null;
    });
    for (CoroutineSnapshot c : seen) {
      // the clock's unit is about a millisecond
      assertThat(c.waited()).isGreaterThanOrEqualTo(passed.minusMillis(2));
    }
  }

  @Test
  void scopes_areATreeUnderTheirOwners() {
    Dump dump =
        observed(() -> {
          Heddle.launch(
              "outer",
              () ->
                  Heddle.supervise(s -> {
                    s.launch("inner", DumpTest::delay);
                    s.background("heartbeat", DumpTest::delay);
                    return null;
                  }));
          Heddle.yieldNow();
          Heddle.yieldNow();
          return Heddle.dump();
        });
    assertThat(dump.scopes())
        .extracting(
            ScopeSnapshot::id, ScopeSnapshot::kind, ScopeSnapshot::parent, ScopeSnapshot::owner)
        .containsExactly(
            tuple(0, "root scope", null, null),
            tuple(1, "scope", 0, 1L),
            tuple(2, "supervised scope", 1, 2L));
    assertThat(dump.coroutines())
        .extracting(
            CoroutineSnapshot::name, CoroutineSnapshot::scope, CoroutineSnapshot::background)
        .containsExactly(
            tuple("main", 0, false),
            tuple("outer", 1, false),
            tuple("inner", 2, false),
            tuple("heartbeat", 2, true));
    assertThat(dump.text())
        .contains("    supervised scope with 2 members\n")
        .containsPattern(
            "(?m)^ {8}coroutine-4 'heartbeat' waits for a timer.*, in the background$");
  }

  @Test
  void scopes_nestedDeeperThanAStack_areShownAll() {
    int depth = 3_000;
    Dump[] taken = new Dump[1];
    Heddle.run(() -> nest(depth, taken));
    assertThat(taken[0].coroutines()).hasSize(depth + 1);
    assertThat(taken[0].scopes()).hasSize(depth + 1);
    assertThat(JsonReader.read(taken[0].json())).isNotNull();
    List<CoroutineSnapshot> many = new ArrayList<>();
    List<ScopeSnapshot> scopes = new ArrayList<>();
    CoroutineSnapshot one = taken[0].coroutines().getFirst();
    for (int i = 0; i < 100_000; i++) {
      scopes.add(new ScopeSnapshot(i, "scope", false, i == 0 ? null : i - 1, (long) i));
      many.add(
          new CoroutineSnapshot(
              i + 1,
              null,
              i,
              State.NEW,
              "",
              false,
              false,
              "x",
              null,
              null,
              List.of(),
              null,
              null,
              one.stack()));
    }
    Dump deep = new Dump("deep", taken[0].takenAt(), scopes, many);
    assertThat(deep.text().lines().filter(line -> line.endsWith("scope with 1 member")))
        .hasSize(99_999);
  }

  private static @Nullable Object nest(int depth, Dump[] taken) {
    if (depth == 0) {
      taken[0] = Heddle.dump();
      return null;
    }
    return Heddle.scope(s -> {
      s.spawn(() -> nest(depth - 1, taken));
      return null;
    });
  }

  @Test
  void alike_inOneScope_areShownOnce() {
    String text =
        observed(() -> {
          for (int i = 0; i < 1_000; i++) {
            Heddle.launch("worker-" + i, DumpTest::delay);
          }
          Heddle.yieldNow();
          return Heddle.dump().text();
        });
    assertThat(text).containsOnlyOnce("coroutine-2 'worker-0' waits for a timer");
    assertThat(text).contains("and coroutine-3 'worker-1', coroutine-4 'worker-2', ");
    assertThat(text).contains("'worker-5' and 994 more, alike\n").doesNotContain("worker-6'");
  }

  @Test
  void stack_shownBefore_isReferredTo() {
    String text =
        observed(() -> {
          Heddle.launch("first", DumpTest::delay);
          Heddle.launch("owner", () -> Heddle.scope(DumpTest::withSecond));
          Heddle.yieldNow();
          Heddle.yieldNow();
          return Heddle.dump().text();
        });
    assertThat(text)
        .containsPattern("'second' waits for .*\n.*\n +with the stack of coroutine-2 'first'\n");
  }

  private static @Nullable Object withSecond(Scope s) {
    s.launch("second", DumpTest::delay);
    return null;
  }

  @Test
  void foreignWait_namesTheMethodOfTheJdkAndTheHolderOfTheLock() {
    ReentrantLock lock = new ReentrantLock();
    Dump dump =
        observed(() -> {
          Heddle.launch("holder", () -> holdAcrossAWait(lock));
          Heddle.launch("blocked", lock::lockInterruptibly);
          Heddle.yieldNow();
          return Heddle.dump();
        });
    ForeignWait foreign = Objects.requireNonNull(named(dump, "blocked").foreign());
    assertThat(foreign.method()).isEqualTo("ReentrantLock.lockInterruptibly");
    assertThat(foreign.blocker())
        .startsWith("java.util.concurrent.locks.ReentrantLock$NonfairSync@");
    assertThat(foreign.ownerId()).isEqualTo(named(dump, "holder").id());
    assertThat(dump.text())
        .containsPattern(
            "coroutine-3 'blocked' is parked by the JDK in ReentrantLock.lockInterruptibly, for"
                + " ReentrantLock@\\w+, held by coroutine-2 'holder' \\(");
  }

  @Test
  void foreignWait_inTheText_hasNoFramesInsideTheMethodThatWasCalled() {
    Dump dump =
        observed(() -> {
          Heddle.launch("taker", () -> new LinkedBlockingQueue<>().take());
          Heddle.yieldNow();
          return Heddle.dump();
        });
    assertThat(dump.text())
        .containsPattern("spawned at .*\\n +at java.util.concurrent.LinkedBlockingQueue.take\\(");
    assertThat(named(dump, "taker").stack().getFirst().getClassName())
        .isEqualTo("java.util.concurrent.locks.LockSupport");
  }

  private static void holdAcrossAWait(ReentrantLock lock) {
    lock.lock();
    try {
      Heddle.delay(LONG);
    } finally {
      lock.unlock();
    }
  }

  @Test
  void table_hasALineForEach() {
    String table =
        observed(() -> {
          Heddle.launch("waiting", DumpTest::delay);
          Heddle.launch("foreign", () -> new LinkedBlockingQueue<String>().take());
          Heddle.yieldNow();
          return Heddle.dump().table();
        });
    assertThat(table.lines())
        .satisfiesExactly(
            title -> assertThat(title).startsWith("Loop 'heddle', "),
            blank -> assertThat(blank).isEmpty(),
            head -> assertThat(head).matches("ID +NAME +STATE +FOR +AT +WAITS FOR"),
            line -> assertThat(line).matches("1 +main +running +\\S+DumpTest.\\S+"),
            line -> assertThat(line).matches("2 +waiting +waiting +\\d\\S* m?s +\\S+ +a timer, .*"),
            line ->
                assertThat(line).matches("3 +foreign +in the JDK +.* in LinkedBlockingQueue.take"));
  }

  @Test
  void json_hasEverythingTheRecordHas() {
    Dump[] taken = new Dump[1];
    observed(() -> {
      Heddle.launch("a \"quoted\" name\n", DumpTest::delay);
      Heddle.launch("foreign", () -> new LinkedBlockingQueue<String>().take());
      Heddle.yieldNow();
      taken[0] = Heddle.dump();
      return null;
    });
    Map<?, ?> json = (Map<?, ?>) JsonReader.read(taken[0].json());
    assertThat(json.get("loop")).isEqualTo("heddle");
    List<?> coroutines = (List<?>) json.get("coroutines");
    assertThat(((Map<?, ?>) coroutines.getFirst()).get("state")).isEqualTo("RUNNING");
    Map<?, ?> waiting = (Map<?, ?>) coroutines.get(1);
    assertThat(waiting.get("name")).isEqualTo("a \"quoted\" name\n");
    List<?> stacks = (List<?>) json.get("stacks");
    int index = ((Number) waiting.get("stack")).intValue();
    assertThat((List<?>) stacks.get(index)).hasSize(1);
    Map<?, ?> foreign = (Map<?, ?>) coroutines.getLast();
    assertThat(((Map<?, ?>) foreign.get("foreign")).get("method"))
        .isEqualTo("LinkedBlockingQueue.take");
  }
}
