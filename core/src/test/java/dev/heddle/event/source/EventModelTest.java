// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.EventCallback;
import dev.heddle.event.NotifyHook;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs against a model of an event: a list from which nothing ever moves.
///
/// A program subscribes, unsubscribes, rings, starts and stops. What a callback does when it is
/// called is part of the program, too: subscribe another, unsubscribe any (itself, one that is
/// gone), ring again, throw. Both sides run the same program, and must call the same callbacks in
/// the same order.
@Timeout(300)
@Tag("trap-8")
@Tag("loop-298")
class EventModelTest {
  private static final int SEEDS = 1_000;
  private static final int STEPS = 60;
  private static final int DEEPEST = 3; // notifications inside notifications

  private enum Kind {
    INLINE,
    CUSTOM,
    HOOK
  }

  private enum Act {
    NOTHING,
    SUBSCRIBE,
    UNSUBSCRIBE,
    RING,
    THROW
  }

  /// What both sides can do; one is the class under test, the other the model.
  private interface Side {
    void subscribe(int id, Kind kind);

    void unsubscribe(int id);

    void ring(int result);

    /// Runs the notifications that were put off.
    void runLater();

    int subscribers();
  }

  /// The outcome of a random decision depends on the seed, the callback and how often it was
  /// called; so it is the same on both sides.
  private static final class Program {
    private final long seed;
    final List<String> log = new ArrayList<>();
    private final List<Integer> calls = new ArrayList<>(); // by callback
    private @Nullable Side side;
    private int depth;

    Program(long seed) {
      this.seed = seed;
    }

    private Random randomFor(int id, int call) {
      return new Random(seed * 1_000_003 + id * 1_009L + call);
    }

    private static <E extends Enum<E>> E any(Random random, E[] values, int weightOfFirst) {
      return values[Math.max(0, random.nextInt(values.length + weightOfFirst) - weightOfFirst)];
    }

    void subscribe(Random random) {
      int id = calls.size();
      calls.add(0);
      side().subscribe(id, any(random, Kind.values(), 3));
    }

    void unsubscribe(Random random) {
      if (!calls.isEmpty()) {
        side().unsubscribe(random.nextInt(calls.size()));
      }
    }

    void ring(int result) {
      try {
        side().ring(result);
      } catch (IllegalStateException e) {
        log.add("thrown " + e.getMessage());
      }
    }

    void runLater() {
      try {
        side().runLater();
      } catch (IllegalStateException e) {
        log.add("thrown " + e.getMessage());
      }
    }

    void called(int id, @Nullable Object result) {
      int call = calls.get(id);
      calls.set(id, call + 1);
      log.add(id + " got " + result);
      Random random = randomFor(id, call);
      if (calls.size() > 4 * STEPS) {
        return; // programs that feed themselves end
      }
      switch (any(random, Act.values(), 4)) {
        case NOTHING -> {}
        case SUBSCRIBE -> subscribe(random);
        case UNSUBSCRIBE -> unsubscribe(random);
        case RING -> ringInside(random);
        case THROW -> throw new IllegalStateException("by " + id);
      }
    }

    private void ringInside(Random random) {
      if (depth < DEEPEST) {
        depth++;
        try {
          ring(random.nextInt(100));
        } finally {
          depth--;
        }
      }
    }

    private Side side() {
      if (side == null) {
        throw new AssertionError("not bound");
      }
      return side;
    }

    /// Runs it, and returns what was called and how many were subscribed after each step.
    List<String> runOn(Side bound) {
      side = bound;
      Random random = new Random(seed);
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> subscribe(random);
          case 3, 4 -> unsubscribe(random);
          case 5, 6 -> ring(random.nextInt(100));
          default -> runLater();
        }
        log.add("subscribed " + bound.subscribers());
      }
      runLater();
      return log;
    }
  }

  // ---- the class under test ----

  private static final class Real implements Side {
    private final Program program;
    private final ArrayDeque<Runnable> later = new ArrayDeque<>();
    private final List<EventCallback> callbacks = new ArrayList<>();
    private final List<Integer> hints = new ArrayList<>();
    private final Bell bell;

    Real(Program program) {
      this.program = program;
      this.bell = new Bell(new CountingHome(later));
    }

    @Override
    public void subscribe(int id, Kind kind) {
      EventCallback callback =
          switch (kind) {
            case INLINE -> (InlineCallback) (event, result, error) -> program.called(id, result);
            case CUSTOM -> (event, result, error) -> program.called(id, result);
            case HOOK -> (NotifyHook) (event, result, error) -> program.called(id, result);
          };
      callbacks.add(callback);
      hints.add(bell.add(callback));
    }

    @Override
    public void unsubscribe(int id) {
      // by the hint and without one, in turns
      if (id % 2 == 0) {
        bell.unsubscribe(callbacks.get(id), hints.get(id));
      } else {
        bell.unsubscribe(callbacks.get(id));
      }
    }

    @Override
    public void ring(int result) {
      bell.fire(result, null);
    }

    @Override
    public void runLater() {
      for (Runnable next = later.poll(); next != null; next = later.poll()) {
        next.run();
      }
    }

    @Override
    public int subscribers() {
      return bell.subscribers();
    }
  }

  private static final class Bell extends EventSource {
    int arms;

    Bell(HomeLoop home) {
      super(home);
    }

    @Override
    protected void arm() {
      arms++;
    }

    @Override
    protected void disarm() {
      arms--;
    }

    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    public String info() {
      return "a bell";
    }
  }

  // ---- the model ----

  private static final class Model implements Side {
    private static final class Entry {
      final int id;
      final Kind kind;
      boolean gone;

      Entry(int id, Kind kind) {
        this.id = id;
        this.kind = kind;
      }
    }

    private final Program program;
    private final List<Entry> entries = new ArrayList<>(); // by id: nothing is ever removed
    private final Queue<Integer> later = new ArrayDeque<>();

    Model(Program program) {
      this.program = program;
    }

    @Override
    public void subscribe(int id, Kind kind) {
      entries.add(new Entry(id, kind));
    }

    @Override
    public void unsubscribe(int id) {
      entries.get(id).gone = true;
    }

    @Override
    public void ring(int result) {
      if (entries.stream().anyMatch(e -> !e.gone && e.kind != Kind.INLINE)) {
        later.add(result);
      } else {
        tell(result, EnumSet.of(Kind.INLINE));
      }
    }

    // those that are added meanwhile are told, too
    private void tell(int result, Set<Kind> kinds) {
      for (int i = 0; i < entries.size(); i++) {
        Entry e = entries.get(i);
        if (!e.gone && kinds.contains(e.kind)) {
          program.called(e.id, result);
        }
      }
    }

    @Override
    public void runLater() {
      for (Integer next = later.poll(); next != null; next = later.poll()) {
        tell(next, EnumSet.of(Kind.HOOK));
        tell(next, EnumSet.of(Kind.INLINE, Kind.CUSTOM));
      }
    }

    @Override
    public int subscribers() {
      return (int) entries.stream().filter(e -> !e.gone).count();
    }
  }

  // ---- the tests ----

  @Test
  void randomPrograms_agreeWithTheModel() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Program onReal = new Program(seed);
      Program onModel = new Program(seed);
      List<String> real = onReal.runOn(new Real(onReal));
      List<String> model = onModel.runOn(new Model(onModel));
      assertThat(real).as("seed %d", seed).isEqualTo(model);
    }
  }

  @Test
  @Tag("trap-9")
  @Tag("trap-10")
  void randomStartsAndStops_keepTheCounts() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      CountingHome home = new CountingHome(new ArrayDeque<>());
      Bell bell = new Bell(home);
      int starts = 0;
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(2) == 0) {
          bell.start();
          starts++;
        } else if (starts > 0) {
          bell.stop();
          starts--;
        }
        assertThat(bell.arms).as("seed %d", seed).isEqualTo(starts > 0 ? 1 : 0);
        assertThat(home.armed).as("seed %d", seed).isEqualTo(starts > 0 ? 1 : 0);
      }
    }
  }
}
