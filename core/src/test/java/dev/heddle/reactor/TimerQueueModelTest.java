// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.source.CountingHome;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random programs of arm, cancel, re-arm and advance, run on the queue and on a sorted set side by
/// side. `-Dheddle.seed=N` repeats one.
@Tag("once")
@Tag("trap-15")
class TimerQueueModelTest {
  private static final int PROGRAMS = 4_000;
  private static final int STEPS = 250;

  @Test
  void randomPrograms_onQueueAndSortedSet_agreeAfterEveryStep() {
    Long only = Long.getLong("heddle.seed");
    if (only != null) {
      new Program(only).run();
      return;
    }
    for (long seed = 0; seed < PROGRAMS; seed++) {
      new Program(seed).run();
    }
  }

  /// One timer as the model sees it.
  private static final class Entry {
    final TimerEvent timer;
    long order;

    Entry(TimerEvent timer) {
      this.timer = timer;
    }

    long deadline() {
      return timer.deadline();
    }
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final HomeLoop home = new CountingHome();
    private final TimerQueue queue;
    private final TreeSet<Entry> model =
        new TreeSet<>(
            Comparator.comparingLong(Entry::deadline).thenComparingLong(entry -> entry.order));
    private final List<Entry> armed = new ArrayList<>();
    private final List<Entry> idle = new ArrayList<>();
    private final List<TimerEvent> fired = new ArrayList<>();
    private final InlineCallback record = (event, result, error) -> fired.add((TimerEvent) event);
    private long now;
    private long order;

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.now = random.nextInt(4) == 0 ? -random.nextLong(1L << 40) : random.nextLong(1L << 50);
      this.queue = new TimerQueue(now);
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> armNew();
          case 3 -> cancel();
          case 4 -> armAgain();
          case 5 -> cancelAndArmAgain();
          default -> advance();
        }
        checkViews(step);
      }
    }

    // small and huge distances alike, often on the boundaries of the wheel's digits
    private long distance() {
      long span = 1L << random.nextInt(62);
      long distance = random.nextInt(3) == 0 ? span : random.nextLong(span);
      return distance + random.nextInt(3) - 1;
    }

    private long after(long distance) {
      return distance > Long.MAX_VALUE - Math.max(now, 0) ? Long.MAX_VALUE : now + distance;
    }

    private void armNew() {
      long deadline =
          !armed.isEmpty() && random.nextInt(3) == 0
              ? armed.get(random.nextInt(armed.size())).deadline()
              : after(distance());
      TimerEvent timer = new TimerEvent(home, queue, deadline, false);
      timer.subscribe(record);
      arm(new Entry(timer));
    }

    private void arm(Entry entry) {
      entry.timer.start();
      entry.order = order++;
      model.add(entry);
      armed.add(entry);
    }

    private void cancel() {
      if (!armed.isEmpty()) {
        Entry entry = armed.remove(random.nextInt(armed.size()));
        model.remove(entry);
        entry.timer.stop();
        idle.add(entry);
      }
    }

    private void armAgain() {
      if (!idle.isEmpty()) {
        arm(idle.remove(random.nextInt(idle.size())));
      }
    }

    private void cancelAndArmAgain() {
      cancel();
      armAgain();
    }

    private void advance() {
      long target = after(distance());
      // often exactly to the next deadline, or just before it
      if (!model.isEmpty() && random.nextInt(2) == 0) {
        target = model.first().deadline() - random.nextInt(2);
      }
      now = Math.max(now, target);
      List<TimerEvent> expected = new ArrayList<>();
      while (!model.isEmpty() && model.first().deadline() <= now) {
        Entry due = model.removeFirst();
        armed.remove(due);
        expected.add(due.timer);
      }
      fired.clear();
      int count = queue.advance(now);
      assertThat(fired)
          .as("seed %d: fired at %d", seed, now)
          .containsExactlyElementsOf(expected)
          .hasSize(count);
    }

    private void checkViews(int step) {
      long next = model.isEmpty() ? Long.MAX_VALUE : model.first().deadline();
      if (queue.nextDeadline() != next || queue.size() != model.size()) {
        throw new AssertionError(
            "seed %d, step %d: next deadline %d of %d timers, expected %d of %d"
                .formatted(seed, step, queue.nextDeadline(), queue.size(), next, model.size()));
      }
      if (!model.isEmpty() && next <= now && !queue.mayBeDue(now)) {
        throw new AssertionError(
            "seed %d, step %d: a due timer is overlooked".formatted(seed, step));
      }
    }
  }
}
