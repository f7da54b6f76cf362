// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Answers, for as long as the DNS says, within bounds. Of too many the one goes that was not asked
/// for the longest.
final class AnswerCache {
  private static final int MOST = 10_000; // some 2 MB
  private static final long LONGEST = 86_400; // seconds: a day
  private static final long LONGEST_NONE = 300; // seconds: a name that was just made is seen soon
  private static final long NANOS = 1_000_000_000;

  /// @param expires on the cache's clock
  private record Kept(Answer answer, long expires) {}

  private final LongSupplier clock; // nanoseconds
  private final int most;
  private final Map<Question, Kept> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Kept> eldest) {
          return size() > most;
        }
      };

  AnswerCache(LongSupplier clock) {
    this(clock, MOST);
  }

  AnswerCache(LongSupplier clock, int most) {
    this.clock = clock;
    this.most = most;
  }

  /// The answer, with the time that is left to it; null: it is not known any more.
  @Nullable Answer get(Question question) {
    Kept kept = entries.get(question);
    if (kept == null) {
      return null;
    }
    long left = kept.expires - clock.getAsLong();
    if (left <= 0) {
      entries.remove(question);
      return null;
    }
    long seconds = left / NANOS;
    return kept.answer instanceof Answer.Found found
        ? new Answer.Found(found.values(), seconds)
        : kept.answer;
  }

  /// Keeps an answer if it may be kept.
  void put(Question question, Answer answer) {
    long seconds =
        switch (answer) {
          case Answer.Found found -> Math.min(found.ttl(), LONGEST);
          case Answer.None none -> Math.min(none.ttl(), LONGEST_NONE);
          case Answer.Alias _, Answer.Failed _ -> 0;
        };
    if (seconds > 0) {
      entries.put(question, new Kept(answer, clock.getAsLong() + seconds * NANOS));
    }
  }
}
