// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Caches answers for their TTL, within limits. A full cache evicts the least recently used answer.
final class AnswerCache {
  private static final int MOST = 10_000; // about 2 MB
  private static final long LONGEST = 86_400; // seconds: a day
  private static final long LONGEST_NONE = 300; // seconds: a new name is seen soon
  private static final long NANOS = 1_000_000_000;

  /// @param expires on the cache's clock
  private record Kept(Answer answer, long expires) {}

  private final LongSupplier clock; // in nanoseconds
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

  /// The cached answer with its remaining TTL; null if there is none.
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

  /// Caches an answer if it is cacheable.
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
