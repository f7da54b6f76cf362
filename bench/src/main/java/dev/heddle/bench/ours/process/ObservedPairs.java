// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Sample;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import dev.heddle.observe.trace.Recording;
import java.util.List;
import java.util.Map;

/// Pairs of processes that send a message to and fro while an observer has their use of the workers
/// counted, or records a trace of them.
public final class ObservedPairs extends Pairs {
  private final Attachable observed = Attachables.all().getLast(); // the runtime, just started
  private final boolean recorded;

  private ObservedPairs(int pairs, boolean recorded) {
    super(pairs);
    this.recorded = recorded;
  }

  /// A program of so many pairs whose use of the workers an observer has counted.
  public static ObservedPairs accounted(int pairs) {
    return new ObservedPairs(pairs, false);
  }

  /// A program of so many pairs of which a trace is recorded.
  public static ObservedPairs traced(int pairs) {
    return new ObservedPairs(pairs, true);
  }

  @Override
  public Sample round(long operations) throws Exception {
    return recorded ? record(operations) : count(operations);
  }

  private Sample record(long operations) throws Exception {
    try (Recording recording = observed.record()) {
      Sample sample = super.round(operations);
      check(sum(recording.stop(), "recorded"), operations);
      return sample;
    }
  }

  private Sample count(long operations) throws Exception {
    try (Feed feed = observed.watch()) {
      List<Map<String, String>> _ = feed.detail("accounts");
      Sample sample = super.round(operations);
      check(sum(feed.detail("accounts"), "runs"), operations);
      return sample;
    }
  }

  private static long sum(List<Map<String, String>> rows, String key) {
    return rows.stream().mapToLong(row -> Long.parseLong(row.getOrDefault(key, "0"))).sum();
  }

  // a run has up to 16 messages
  private static void check(long seen, long operations) {
    if (seen < operations / 16) {
      throw new IllegalStateException("the observer has seen " + seen + " of " + operations);
    }
  }
}
