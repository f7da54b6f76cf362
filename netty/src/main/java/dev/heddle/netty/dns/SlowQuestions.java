// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Questions for one family of a host's addresses that lately had no answer when the other family's
/// were there. Without this each look-up of the host would wait for them anew.
final class SlowQuestions {
  private static final int MOST = 10_000; // as many as answers are kept
  private static final long NANOS = 60_000_000_000L; // a minute: then a server has its next chance

  private final LongSupplier clock; // nanoseconds
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

  /// It has had no answer in time.
  void add(Question question) {
    until.remove(question); // the last one to be added is the last one to go
    until.put(question, clock.getAsLong() + NANOS);
  }

  /// It has an answer.
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
