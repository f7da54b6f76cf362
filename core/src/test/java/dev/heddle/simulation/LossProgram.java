// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Await;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Outcomes;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventStream;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A program that a seed makes up and that fails in as many ways as it can: in bodies, clean-up,
/// handlers, callbacks and functions of futures, while scopes fail, are cancelled, time out and
/// shut down. It knows each exception that it has thrown, and which of them somebody has got.
///
/// It takes an exception where it catches it, where a handler or callback is told of it, in the
/// outcomes of a wait, from a stream, and from a `CompletableFuture`; with it what it carries: its
/// cause, what is suppressed in it, and what stands in its report by then.
final class LossProgram {
  private static final int STORY = 200; // lines that a failure shows

  private final long seed;
  private final Simulation simulation;
  private final List<Coroutine<?>> coroutines = new ArrayList<>();
  private final List<Promise<Object>> promises = new ArrayList<>();
  private final List<Awaitable<?>> awaitables = new ArrayList<>();
  private final List<Scope> scopes = new ArrayList<>();
  private final List<CompletableFuture<?>> exported = new ArrayList<>();
  private final List<Throwable> thrown = new ArrayList<>();
  private final Set<Throwable> reached = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<String> story = new ArrayList<>();
  private int budget;
  private int serial;

  LossProgram(long seed) {
    this.seed = seed;
    this.simulation = new Simulation(seed);
    this.budget = 15 + new Random(seed).nextInt(80);
  }

  /// Runs it; what `run` throws has reached its caller.
  void run() {
    Throwable outcome =
        Step.outcomeOf(() ->
            simulation.run(() -> {
              body(new Random(seed), 0);
              return null;
            }));
    note("run threw", outcome);
    reached(outcome);
    for (CompletableFuture<?> future : exported) {
      reached(future.isCompletedExceptionally() ? future.exceptionNow() : null);
    }
  }

  /// What was thrown and has reached nobody yet, given what the operator can read.
  List<Throwable> lost(List<OperatorLog.Entry> log) {
    log.forEach(entry -> {
      note("report: " + entry.text(), entry.failure());
      reached(entry.failure(), false); // a log shows no report
    });
    return thrown.stream().filter(failure -> !reached.contains(failure)).toList();
  }

  int thrown() {
    return thrown.size();
  }

  /// The last steps.
  String story() {
    return String.join("\n", story.subList(Math.max(0, story.size() - STORY), story.size()));
  }

  // ---- what it knows ----

  private Fault loss(String where) {
    Fault loss = new Fault("loss " + ++serial + ", " + where);
    thrown.add(loss);
    note("throws", loss);
    return loss;
  }

  private void reached(@Nullable Throwable failure) {
    reached(failure, true);
  }

  // a failure may be got several times, and its report may have grown meanwhile
  private void reached(@Nullable Throwable failure, boolean withReports) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    ArrayDeque<Throwable> toDo = new ArrayDeque<>();
    if (failure != null) {
      toDo.add(failure);
    }
    for (Throwable next = toDo.poll(); next != null; next = toDo.poll()) {
      if (seen.add(next)) {
        toDo.addAll(attached(next));
        FailureReport report = withReports ? Heddle.reportOf(next) : null;
        toDo.addAll(report == null ? List.of() : report.merged());
      }
    }
    reached.addAll(seen);
  }

  private static List<Throwable> attached(Throwable failure) {
    List<Throwable> attached = new ArrayList<>(List.of(failure.getSuppressed()));
    if (failure.getCause() != null) {
      attached.add(failure.getCause());
    }
    if (failure instanceof CompositeException several) {
      attached.addAll(several.failures());
    }
    return attached;
  }

  private void note(String what, @Nullable Throwable failure) {
    Coroutine<?> self = Step.outcomeOf(Heddle::current) == null ? Heddle.current() : null;
    story.add(
        (self == null ? "" : self.name() + "  ")
            + what
            + (failure == null ? "" : " " + Step.nameOf(failure)));
  }

  // ---- what it does ----

  private void body(Random random, int depth) throws Exception {
    int steps = 1 + random.nextInt(8);
    for (int i = 0; i < steps && --budget >= 0; i++) {
      step(random, depth);
    }
    if (random.nextInt(4) == 0) {
      throw loss("a body");
    }
  }

  private void step(Random random, int depth) throws Exception {
    boolean catches = random.nextInt(3) > 0;
    try {
      one(random, depth);
    } catch (Throwable e) {
      // one in eight programs swallows a cancellation, too
      if (!catches || (e instanceof Cancellation && random.nextInt(8) > 0)) {
        throw e;
      }
      note("catches", e);
      reached(e);
    }
  }

  private void one(Random random, int depth) throws Exception {
    boolean deep = depth > 6;
    switch (random.nextInt(deep ? 14 : 26)) {
      case 0, 1 -> Heddle.yieldNow();
      case 2 -> pause(random);
      case 3 -> throw loss("a step");
      case 4, 5 -> wait(random);
      case 6 -> waitForSeveral(random);
      case 7 -> cancel(random);
      case 8 -> completePromise(random);
      case 9 -> derive(random);
      case 10 -> subscribe(random);
      case 11 -> stream(random);
      case 12 -> export(random);
      case 13 -> handlers(random);
      case 14, 15, 16 -> spawn(random, depth, Scope.current());
      case 17 -> open(random, depth);
      case 18 -> child(random, depth);
      case 19 -> block(random, depth, false);
      case 20 -> block(random, depth, true);
      case 21 -> within(random, depth);
      case 22 -> resource(random, depth);
      case 23 -> cleanUp(random, depth);
      case 24 -> Heddle.shield(() -> body(random, depth + 1));
      default -> rare(random, depth);
    }
  }

  private static void pause(Random random) {
    Heddle.delay(Duration.ofMillis(random.nextInt(8) == 0 ? 6_000 : 1 + random.nextInt(20)));
  }

  private static <E> @Nullable E any(Random random, List<E> list) {
    return list.isEmpty() ? null : list.get(random.nextInt(list.size()));
  }

  private @Nullable Awaitable<?> anyAwaitable(Random random) {
    return random.nextInt(3) == 0 ? any(random, awaitables) : any(random, coroutines);
  }

  private static Deadline soon(Random random) {
    return Deadline.after(Duration.ofMillis(random.nextInt(15)));
  }

  private void wait(Random random) {
    Awaitable<?> one = anyAwaitable(random);
    Awaitable<?> token = any(random, awaitables);
    if (one == null || one == Heddle.current()) {
      return;
    }
    note("awaits " + one, null);
    if (random.nextInt(4) == 0 && token != null) {
      Heddle.await(one, token);
    } else if (random.nextInt(3) == 0) {
      Heddle.await(one);
    } else {
      Heddle.await(one, soon(random));
    }
  }

  private void waitForSeveral(Random random) {
    List<Awaitable<?>> several = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      Awaitable<?> one = anyAwaitable(random);
      if (one != null && one != Heddle.current()) {
        several.add(one);
      }
    }
    var await = Await.<@Nullable Object>of(several);
    var bounded = random.nextInt(3) == 0 ? await : await.until(soon(random));
    note("awaits together " + several, null);
    switch (random.nextInt(5)) {
      case 0 -> reachedIn(bounded.allSettled());
      case 1 -> reachedIn(bounded.race());
      case 2 -> reachedIn(bounded.any());
      case 3 -> reachedIn(bounded.anyOf(2));
      default -> reachedIn(bounded.all());
    }
  }

  private void reachedIn(Outcomes<?, ?> outcomes) {
    outcomes.failures().values().forEach(this::reached);
  }

  private void cancel(Random random) {
    Coroutine<?> one = any(random, coroutines);
    Scope scope = any(random, scopes);
    if (random.nextInt(3) == 0 && scope != null) {
      note("cancels a scope", null);
      scope.cancel("scope " + ++serial);
    } else if (one != null) {
      note("cancels " + one.name(), null);
      one.cancel("coroutine " + ++serial);
    }
  }

  private Promise<Object> anyPromise(Random random) {
    Promise<Object> promise = random.nextInt(2) == 0 ? any(random, promises) : null;
    if (promise == null) {
      promise = Heddle.promise();
      promises.add(promise);
      awaitables.add(promise.future());
    }
    return promise;
  }

  private void completePromise(Random random) {
    Promise<Object> promise = anyPromise(random);
    if (promise.isDone()) {
      return;
    }
    if (random.nextInt(2) == 0) {
      promise.complete("done");
    } else {
      promise.fail(loss("a promise"));
    }
  }

  private void derive(Random random) {
    Future<Object> source = anyPromise(random).future();
    boolean fails = random.nextInt(3) == 0;
    Future<Object> derived =
        switch (random.nextInt(3)) {
          case 0 -> source.map(value -> failOr(fails, value, "a mapping"));
          case 1 ->
              source.recover(failure -> {
                reached(failure);
                return failOr(fails, "recovered", "a recovery");
              });
          default -> source.onCompletion(() -> failOr(fails, "", "a completion"));
        };
    awaitables.add(derived);
  }

  private Object failOr(boolean fails, Object value, String where) {
    if (fails) {
      throw loss(where);
    }
    return value;
  }

  private void subscribe(Random random) {
    Coroutine<?> one = any(random, coroutines);
    boolean fails = random.nextInt(4) == 0;
    if (one != null && !one.isDone()) {
      one.event()
          .subscribe((_, _, failure) -> {
            reached(failure);
            failOr(fails, "", "a callback");
          });
    }
  }

  private void stream(Random random) {
    Awaitable<?> one = anyAwaitable(random);
    if (one == null) {
      return;
    }
    EventStream<?> stream = EventStream.of(one, 1 + random.nextInt(3));
    switch (random.nextInt(3)) {
      case 0 -> stream.next(soon(random));
      case 1 -> {
        Heddle.yieldNow();
        stream.close();
      }
      default -> awaitables.add(stream.ready()); // left open
    }
  }

  private void export(Random random) {
    Coroutine<?> one = any(random, coroutines);
    exported.add(
        one == null || random.nextInt(2) == 0
            ? anyPromise(random).future().toCompletableFuture()
            : one.toCompletableFuture());
  }

  private void handlers(Random random) {
    Coroutine<?> one = any(random, coroutines);
    boolean fails = random.nextInt(3) == 0;
    switch (random.nextInt(3)) {
      case 0 -> Scope.current().handleFailures((_, _, failure) -> handle(failure, fails));
      case 1 -> Scope.current().handleChildFailures((_, _, failure) -> handle(failure, fails));
      default -> {
        if (one != null) {
          one.onCompletion(_ -> failOr(fails, "", "a completion handler"));
        }
      }
    }
  }

  private void handle(Throwable failure, boolean fails) {
    note("a handler is told", failure);
    reached(failure);
    Heddle.yieldNow();
    failOr(fails, "", "a failure handler");
  }

  private void spawn(Random random, int depth, Scope into) {
    Random own = new Random(random.nextLong());
    String name = "c" + ++serial;
    note("spawns " + name, null);
    switch (random.nextInt(5)) {
      case 0 -> into.launch(name, () -> body(own, depth + 1));
      case 1 -> into.background(name, () -> body(own, depth + 1));
      default -> coroutines.add(into.spawn(name, () -> body(own, depth + 1)));
    }
  }

  private void open(Random random, int depth) throws Exception {
    try (Scope scope = Scope.open()) {
      scopes.add(scope);
      spawn(random, depth, scope);
      body(random, depth + 1);
      if (random.nextInt(2) == 0) {
        scope.join();
      }
    }
  }

  private void child(Random random, int depth) {
    Scope scope = random.nextInt(4) == 0 ? Scope.detached() : Scope.current().child();
    scopes.add(scope);
    boolean fails = random.nextInt(2) == 0;
    if (random.nextInt(2) == 0) {
      scope.onCompletion(_ -> failOr(fails, "", "a scope's completion handler"));
    }
    if (random.nextInt(4) == 0) {
      scope.handleFailures((_, _, failure) -> handle(failure, fails));
    }
    for (int i = random.nextInt(3); i >= 0; i--) {
      spawn(random, depth, scope);
    }
    switch (random.nextInt(4)) {
      case 0 -> scope.join(soon(random));
      case 1 -> scope.close();
      case 2 -> scope.cancelAfter(Duration.ofMillis(random.nextInt(10)));
      default -> scope.launch("ends it", () -> scope.cancel("enough"));
    }
  }

  private void block(Random random, int depth, boolean supervised) {
    if (supervised) {
      Heddle.supervise(() -> {
        spawn(random, depth, Scope.current());
        body(random, depth + 1);
      });
    } else {
      Heddle.scope(() -> {
        spawn(random, depth, Scope.current());
        body(random, depth + 1);
      });
    }
  }

  private void within(Random random, int depth) {
    Awaitable<?> token = any(random, awaitables);
    if (random.nextInt(3) == 0 && token != null) {
      Heddle.cancelWhen(token, () -> body(random, depth + 1));
    } else {
      Heddle.withTimeout(Duration.ofMillis(random.nextInt(10)), () -> body(random, depth + 1));
    }
  }

  private void resource(Random random, int depth) throws Exception {
    boolean waits = random.nextInt(2) == 0;
    boolean fails = random.nextInt(3) > 0;
    try (AutoCloseable _ =
        () -> {
          if (waits) {
            Heddle.yieldNow();
          }
          failOr(fails, "", "a close()");
        }) {
      body(random, depth + 1);
    }
  }

  private void cleanUp(Random random, int depth) throws Exception {
    boolean fails = random.nextInt(2) == 0;
    try {
      body(random, depth + 1);
    } catch (Throwable e) {
      if (fails) {
        reached(e); // a finally block that throws drops it, as the language has it
        throw loss("a finally block");
      }
      throw e;
    }
  }

  private void rare(Random random, int depth) throws Exception {
    switch (random.nextInt(8)) {
      case 0 -> Heddle.shutdown(Duration.ofMillis(random.nextInt(50)));
      case 1 -> Heddle.onShutdown(() -> failOr(random.nextInt(2) == 0, "", "a closer"));
      case 2 -> {
        Awaitable<?> one = anyAwaitable(random);
        if (one != null) {
          Future<Object> future = Future.ofWork(cast(one), _ -> failOr(true, "", "a consumer"));
          awaitables.add(future);
        }
      }
      case 3 ->
          Heddle.forEach(List.of(1, 2, 3), 2, _ -> body(new Random(random.nextLong()), depth + 1));
      default -> Heddle.yieldNow();
    }
  }

  @SuppressWarnings("unchecked") // whatever it ends with is an object
  private static Awaitable<Object> cast(Awaitable<?> one) {
    return (Awaitable<Object>) one;
  }
}
