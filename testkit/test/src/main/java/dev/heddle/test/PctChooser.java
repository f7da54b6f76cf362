// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Candidates;
import dev.heddle.test.run.Chooser;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/// Probabilistic concurrency testing of one run.
///
/// The algorithm needs the number of places of a run in advance at which it may change the order:
/// decisions, and points at which another one may be ready. It spreads its changes over them. A
/// seed alone must repeat a run, so each seed draws that number: a power of two. A program with n
/// such places gets a fitting one in every twelfth run or so.
final class PctChooser implements Chooser {
  private static final int SHORTEST = 3; // 8 places
  private static final int LONGEST = 14; // 16,384 places
  private static final int MOST_IN_A_ROW = 1_000; // of one that spins until another one has run

  private final SplittableRandom random;
  private final Map<Long, Long> priorities = new HashMap<>();
  private final Set<Integer> changes = new HashSet<>();
  private int places; // so far
  private long lowest; // below all that were given
  private long last;
  private int inARow;

  PctChooser(SplittableRandom random, int depth) {
    this.random = random;
    int length = 1 << random.nextInt(SHORTEST, LONGEST + 1);
    for (int i = 1; i < depth; i++) {
      changes.add(random.nextInt(length));
    }
  }

  @Override
  public int choose(int decision, Candidates ready) {
    int first = highest(ready);
    if (changes.contains(places++) || inARow >= MOST_IN_A_ROW) {
      priorities.put(ready.id(first), --lowest);
      first = highest(ready);
    }
    long id = ready.id(first);
    inARow = id == last ? inARow + 1 : 0;
    last = id;
    return first;
  }

  @Override
  public long atPoint(int point, long running, boolean contested) {
    if (!contested || !changes.contains(places++)) {
      return GO_ON;
    }
    priorities.put(running, --lowest);
    return 0;
  }

  @Override
  public int chooseInstead(int point, Candidates others) {
    return highest(others);
  }

  private int highest(Candidates ready) {
    int best = 0;
    long priority = Long.MIN_VALUE;
    for (int place = 0; place < ready.size(); place++) {
      long one = priorities.computeIfAbsent(ready.id(place), _ -> random.nextLong(Long.MAX_VALUE));
      if (one > priority) {
        best = place;
        priority = one;
      }
    }
    return best;
  }
}
