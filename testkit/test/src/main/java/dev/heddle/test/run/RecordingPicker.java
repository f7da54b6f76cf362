// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.scheduler.BornThread;
import dev.heddle.scheduler.ReadyCandidates;
import dev.heddle.scheduler.ReadyPicker;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Asks a chooser for each decision of the loop, and records the course.
///
/// **Thread** the loop's, in a tick.
final class RecordingPicker implements ReadyPicker, Candidates {
  private static final long CHOICES = Long.MIN_VALUE / 2; // the id of all choices, in the course
  private static final int MOST_OUTCOMES = 1 << 16;

  private final Chooser chooser;
  private final VirtualClock clock;
  private final Runnable atLimit;
  private final Course course = new Course();
  private final Map<Long, Coroutine<?>> coroutines = new HashMap<>();
  private final Map<Runnable, Long> threads = new IdentityHashMap<>();
  private final Map<Runnable, String> names = new IdentityHashMap<>();
  private final long limit;
  private long choices;

  private @Nullable ReadyCandidates ready; // only during a choice

  /// @param limit the number of steps after which it calls `atLimit`, once
  RecordingPicker(Chooser chooser, VirtualClock clock, long limit, Runnable atLimit) {
    this.chooser = chooser;
    this.clock = clock;
    this.limit = limit;
    this.atLimit = atLimit;
  }

  @Override
  public int pick(int size) {
    throw new IllegalStateException("the scheduler passes its candidates");
  }

  @Override
  public int pick(ReadyCandidates candidates) {
    int size = candidates.size();
    int chosen = size == 1 ? 0 : choose(candidates);
    course.step(clock.nanoTime(), idOf(candidates.at(chosen)), size, chosen);
    if (course.steps() == limit) {
      atLimit.run();
    }
    return chosen;
  }

  private int choose(ReadyCandidates candidates) {
    ready = candidates;
    int chosen = chooser.choose(course.decisions(), this);
    ready = null;
    return chosen < 0 || chosen >= candidates.size() ? 0 : chosen;
  }

  @Override
  public int size() {
    return ready == null ? 0 : ready.size();
  }

  @Override
  public long id(int place) {
    return ready == null ? 0 : idOf(ready.at(place));
  }

  private long idOf(@Nullable Object entry) {
    Object runs = entry instanceof ExecutionContext context ? context.occupant() : entry;
    return switch (runs) {
      case Coroutine<?> coroutine -> {
        coroutines.putIfAbsent(coroutine.id(), coroutine);
        yield coroutine.id();
      }
      case BornThread born -> threads.computeIfAbsent(born.turn(), _ -> -1L - threads.size());
      case null, default -> 0;
    };
  }

  /// A choice that is not about what runs next: a number below `among`. 0 is what happens where the
  /// chooser wants nothing special.
  int choose(int among) {
    if (among == 1) {
      return 0;
    }
    long number = ++choices;
    Candidates outcomes =
        new Candidates() {
          @Override
          public int size() {
            return among;
          }

          // another one in each choice: a chooser that ranks candidates has not ranked these
          @Override
          public long id(int place) {
            return CHOICES - number * MOST_OUTCOMES - place;
          }
        };
    int chosen = chooser.choose(course.decisions(), outcomes);
    chosen = chosen < 0 || chosen >= among ? 0 : chosen;
    course.step(clock.nanoTime(), CHOICES, among, chosen);
    if (course.steps() == limit) {
      atLimit.run();
    }
    return chosen;
  }

  /// Names a thread by the task that continues it.
  void name(Runnable turn, String name) {
    names.putIfAbsent(turn, name);
  }

  int steps() {
    return course.steps();
  }

  /// The course until now, with the names that its coroutines have now.
  Course course() {
    coroutines.forEach((id, coroutine) -> course.name(id, coroutine.name()));
    names.forEach((turn, name) -> {
      Long id = threads.get(turn);
      if (id != null) {
        course.name(id, name);
      }
    });
    course.name(CHOICES, "a choice");
    return course;
  }
}
