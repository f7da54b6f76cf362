// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.event.Trigger;
import dev.heddle.event.source.EventSource;
import dev.heddle.simulation.Circle.Kind;
import dev.heddle.simulation.OperatorLog.Entry;
import dev.heddle.simulation.OperatorLog.Why;
import dev.heddle.sync.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A program that a seed makes up, run in a world that the same seed decides, and held to what is
/// promised of every program.
///
/// What each coroutine does is drawn from a generator of its own, so that a program is the same in
/// whatever order it runs. Waits without a limit are for younger coroutines only, and critical
/// sections wait for nobody: so a program never locks itself up.
final class RandomProgram {
  private static final Duration SHUTDOWN = Duration.ofSeconds(10); // the default deadline
  private static final Duration GRACE = Duration.ofSeconds(5); // the default, too
  private static final int STORY = 120; // lines that a failure shows

  private final long seed;
  private final boolean alone;
  private final Simulation simulation;
  private final List<Life> lives = new ArrayList<>();
  private final List<Circle> circles = new ArrayList<>();
  private final List<Pledge> pledges = new ArrayList<>();
  private final List<Awaitable<?>> awaited = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final List<String> story = new ArrayList<>();
  private final Map<Why, Map<Throwable, Integer>> expected = new EnumMap<>(Why.class);
  private final IdentityHashMap<Throwable, Boolean> excused = new IdentityHashMap<>();
  private final boolean probesDeadlock;
  private List<Entry> log = List.of();
  private boolean tells;
  private long fingerprint;
  private int budget;
  private int serial;
  private @Nullable Duration deadline; // of the shutdown
  private @Nullable Mutex mutex;
  private int inside; // the critical section
  private @Nullable Trigger trigger;
  private Consumer<Thread> onThread = thread -> {};

  /// @param alone no other thread takes part: a sleep that only one could end is an error
  RandomProgram(long seed, boolean alone) {
    this.seed = seed;
    this.alone = alone;
    this.simulation = new Simulation(seed);
    this.probesDeadlock = seed % 16 == 0;
    this.budget = 20 + new Random(seed).nextInt(150);
  }

  /// Notes each step, for the story of a failure.
  RandomProgram telling() {
    tells = true;
    return this;
  }

  /// Shows `observer` the thread of each coroutine.
  RandomProgram showingThreads(Consumer<Thread> observer) {
    onThread = observer;
    return this;
  }

  /// Runs it and returns what is wrong with the run.
  List<String> run(OperatorLog log) {
    log.take();
    Throwable threw = log.holdingBack(() -> Step.outcomeOf(() -> simulation.run(this::main)));
    this.log = log.take();
    verify(threw);
    return wrong;
  }

  private @Nullable Object main() {
    Circle root = newCircle(Kind.ROOT, Scope.root());
    Life main = new Life(this, root, 0, new Random(seed));
    root.members.add(main);
    lives.add(main);
    mutex = new Mutex("m");
    trigger = Heddle.trigger("t");
    awaited.add(trigger);
    main.live();
    if (probesDeadlock && !isStopping()) {
      // only an exact count of what is armed lets the loop see that nobody can end this
      Heddle.promise("never").future().await();
    }
    return null;
  }

  // ---- for its coroutines ----

  /// Whether the program may take one more step.
  boolean spend() {
    return --budget >= 0;
  }

  int nextSerial() {
    return ++serial;
  }

  long now() {
    return simulation.elapsed().toNanos();
  }

  /// Whether sleeps end exactly when they should.
  boolean isExact() {
    return alone;
  }

  void newLife(Life life) {
    lives.add(life);
  }

  Life anyLife(Random random) {
    return lives.get(random.nextInt(lives.size()));
  }

  Circle newCircle(Kind kind, Scope scope) {
    Circle circle = new Circle(kind, scope);
    circles.add(circle);
    return circle;
  }

  /// A limit whose words nobody else's cancellation has.
  Duration newLimit(Random random) {
    long millis = random.nextInt(6) == 0 ? 7_000 : random.nextInt(15);
    return Duration.ofMillis(millis).plusNanos(1 + nextSerial());
  }

  Pledge anyPledge(Random random) {
    if (pledges.isEmpty() || random.nextInt(3) == 0) {
      Pledge pledge = new Pledge(Heddle.promise());
      pledges.add(pledge);
      awaited.add(pledge.promise.future());
    }
    return pledges.get(random.nextInt(pledges.size()));
  }

  Mutex mutex() {
    return java.util.Objects.requireNonNull(mutex);
  }

  Trigger trigger() {
    return java.util.Objects.requireNonNull(trigger);
  }

  Event timer(Duration delay) {
    Event timer = Heddle.timer(delay);
    awaited.add(timer);
    return timer;
  }

  void entered() {
    check(++inside == 1, () -> "two coroutines hold the mutex");
  }

  void left() {
    inside--;
  }

  /// The loop begins to stop.
  void stops() {
    stopsWithin(SHUTDOWN);
  }

  /// The root scope fails. While the loop stops already, that leaves the others the grace period
  /// only.
  void rootFails() {
    stopsWithin(isStopping() ? GRACE : SHUTDOWN);
  }

  private void stopsWithin(Duration limit) {
    Duration by = simulation.elapsed().plus(limit);
    if (deadline == null || by.compareTo(deadline) < 0) {
      deadline = by;
    }
  }

  /// Whether the loop may be stopping.
  boolean isStopping() {
    return deadline != null;
  }

  /// Whether the loop may be past its shutdown deadline: nothing protects, and nobody is awaited.
  boolean isPast() {
    return deadline != null && simulation.elapsed().compareTo(deadline) >= 0;
  }

  void showThread() {
    onThread.accept(Thread.currentThread());
  }

  void note(Life life, String what) {
    fingerprint = (fingerprint * 31 + life.number()) * 31 + what.hashCode();
    if (tells) {
      story.add(simulation.elapsed().toMillis() + " ms  " + life + "  " + what);
    }
  }

  void check(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      wrong.add(otherwise.get());
      if (tells) {
        story.add("                                  <<< " + wrong.getLast());
      }
    }
  }

  // ---- what must hold of the whole run ----

  void expect(Why why, @Nullable Throwable failure) {
    if (failure != null) {
      expected.computeIfAbsent(why, w -> new IdentityHashMap<>()).merge(failure, 1, Integer::sum);
    }
  }

  /// Who got these cannot be told from outside.
  void excuse(List<Life> unclear) {
    unclear.forEach(life -> excused.put(life.failure(), true));
  }

  void awaited(Awaitable<?> one) {
    awaited.add(one);
  }

  private void verify(@Nullable Throwable threw) {
    for (Life life : lives) {
      life.verify();
    }
    check(!circles.isEmpty(), () -> "main did not run: " + threw);
    if (!circles.isEmpty()) {
      circles.getFirst().ran(threw);
      verifyOutcome(lives.getFirst(), circles.getFirst(), threw);
    }
    circles.forEach(circle -> circle.account(this));
    pledges.forEach(this::accountFor);
    verifyLog();
    verifyNothingIsLeft(threw);
  }

  private void verifyOutcome(Life main, Circle root, @Nullable Throwable threw) {
    boolean failed = root.members.stream().anyMatch(Life::failedItsScope);
    if (failed) {
      check(threw != null, () -> "run threw nothing, but the root scope had failed");
    } else if (threw instanceof DeadlockError) {
      check(probesDeadlock, () -> "a deadlock where there is none: " + threw.getMessage());
    } else if (threw instanceof Cancellation) {
      check(isStopping(), () -> "main was cancelled by nobody: " + threw);
    } else {
      check(threw == null, () -> "run threw out of nowhere: " + threw);
      check(
          !probesDeadlock || isStopping() || main.thrown() != null,
          () -> "main waits for what nobody can bring, and the loop ended without a word");
    }
  }

  private void accountFor(Pledge pledge) {
    if (pledge.failedWith != null && !pledge.ignored && pledge.received == 0) {
      expect(Why.UNCLAIMED, pledge.failedWith);
    }
  }

  private void verifyLog() {
    IdentityHashMap<Throwable, Boolean> failures = new IdentityHashMap<>();
    log.forEach(entry -> failures.put(entry.failure(), true));
    expected.values().forEach(of -> of.keySet().forEach(failure -> failures.put(failure, true)));
    for (Throwable failure : failures.keySet()) {
      if (!excused.containsKey(failure)) {
        verifyLog(failure);
      }
    }
  }

  private void verifyLog(Throwable failure) {
    for (Why why : Why.values()) {
      if (why == Why.GAVE_WAY) {
        continue; // which one gives way is a matter of the order, that all are told is checked by
        // RandomLossTest
      }
      int wanted = expected.getOrDefault(why, Map.of()).getOrDefault(failure, 0);
      long found = OperatorLog.count(log, e -> e.failure() == failure && e.why() == why);
      check(
          found == wanted,
          () -> failure + " was reported " + found + " times as " + why + ", not " + wanted);
    }
  }

  private void verifyNothingIsLeft(@Nullable Throwable threw) {
    for (Awaitable<?> each : awaited) {
      Event event = each.event();
      check(
          EventSource.of(event).subscribers() == 0,
          () -> event.info() + " has " + EventSource.of(event).subscribers() + " subscribers left");
    }
    long timers = simulation.loop().tree().counters().timers();
    check(timers == 0 || isStopping() || threw != null, () -> timers + " timers are left");
    long live = simulation.loop().tree().counters().coroutines();
    check(live == 0, () -> live + " coroutines are left");
    check(
        !alone || simulation.endlessSleeps() == 0,
        () -> "the loop slept with nobody to wake it\n" + simulation.firstEndlessSleep());
    check(inside == 0, () -> "the mutex is still held");
  }

  // ---- views ----

  Simulation simulation() {
    return simulation;
  }

  /// A number that two runs of the same course share.
  long fingerprint() {
    return fingerprint * 31 + simulation.fingerprint();
  }

  /// The last steps, and who took them.
  String story() {
    return String.join("\n", story.subList(Math.max(0, story.size() - STORY), story.size()));
  }
}
