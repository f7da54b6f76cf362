// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Questions for one address family that recently had no answer when the other family's addresses
/// had arrived. Without this, each look-up of the host would wait for them again.
final class SlowQuestions {
  private static final int MOST = 10_000; // as in the answer cache
  // one minute, then the server is given another chance
  private static final long NANOS = 60_000_000_000L;

  private final LongSupplier clock; // in nanoseconds
  private final Map<Question, Long> until =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Long> eldest) {
          return size() > MOST;
        }
      };

  SlowQuestions(LongSupplier clock) {
    this.clock = clock;
  }

  void add(Question question) {
    until.remove(question); // reinserted as the youngest
    until.put(question, clock.getAsLong() + NANOS);
  }

  void remove(Question question) {
    until.remove(question);
  }

  boolean contains(Question question) {
    Long end = until.get(question);
    if (end == null) {
      return false;
    }
    boolean isLate = clock.getAsLong() - end < 0;
    if (!isLate) {
      until.remove(question);
    }
    return isLate;
  }
}
