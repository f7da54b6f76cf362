// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Shares;
import dev.heddle.bench.measure.WaitTimes;
import dev.heddle.bench.ours.process.BlockedEnd;
import dev.heddle.bench.ours.process.Busy;
import dev.heddle.bench.ours.process.CleanEnd;
import dev.heddle.bench.ours.process.Hogs;
import dev.heddle.bench.ours.process.Spread;
import dev.heddle.bench.peer.pekko.PekkoBusy;
import dev.heddle.bench.peer.pekko.PekkoHogs;
import dev.heddle.bench.peer.pekko.PekkoSpread;
import java.util.ArrayList;
import java.util.List;

/// Who waits for whom, and for how long.
final class FairnessShape {
  private static final String HOG = "fairness-hog";
  private static final String BUSY = "fairness-busy";
  private static final String SPREAD = "fairness-spread";
  private static final String CLEAN_END = "fairness-clean-end";
  private static final String BLOCKED_END = "fairness-blocked-end";
  private static final String MILLIS = "ms";
  private static final int WOKEN = 64;
  private static final int LONGEST_WAIT = 5; // ms
  private static final int EVEN_ENOUGH = 60; // percent on the busier of two workers
  private static final int PROMPT = 50; // ms, of which the clean-up takes 10
  private static final int DEADLINE_AND_SOME = 150; // ms, of which the deadline is 100

  private FairnessShape() {}

  static Shape shape() {
    Metric round = new Metric(MILLIS, sample -> sample.wallNanos() / 1e6);
    return new Shape(
        "fairness",
        "How long a message waits for its process: beside processes that always want to go on, one"
            + " for each worker (hog); when its sender computes for 20 ms in the same step (busy)."
            + " How much of what 64 processes compute, woken in one step, the busiest worker does"
            + " (spread). How long a shutdown takes when 100 processes need 10 ms to clean up"
            + " (clean-end), and when one never returns from its step and the deadline is 100 ms"
            + " (blocked-end).",
        List.of(
            waits(HOG, "a victim beside hogs", RoundSize.fixed(200, 3)),
            waits(BUSY, "an idle process beside a busy worker", RoundSize.fixed(100, 20)),
            Case.of(
                SPREAD,
                "64 woken in one step",
                WOKEN,
                RoundSize.fixed(20 * WOKEN, WOKEN),
                Metric.count(Shares.BUSIEST, "% on the busiest")),
            Case.of(CLEAN_END, "100 processes that clean up", 100, RoundSize.fixed(1, 1), round),
            Case.of(BLOCKED_END, "a step that never returns", 1, RoundSize.fixed(1, 1), round)),
        contenders(),
        bars());
  }

  private static Case waits(String name, String what, RoundSize roundSize) {
    return new Case(
        name,
        what,
        1,
        roundSize,
        List.of(
            new Row(name, Metric.count(WaitTimes.P99, MILLIS)),
            new Row(name + "-worst", Metric.count(WaitTimes.WORST, MILLIS))));
  }

  private static List<Contender> contenders() {
    List<Contender> all = new ArrayList<>(new ActorContenders().ours(FairnessShape::ours).list());
    all.add(
        Contender.of(
                ActorContenders.PEKKO,
                "Pekko, at least eight threads; for spread as many as processors",
                Flags.stock(),
                FairnessShape::pekko)
            .only(HOG, BUSY, SPREAD));
    all.add(ActorContenders.goroutines().only(HOG, BUSY, SPREAD));
    return all;
  }

  private static Program ours(Case size) {
    return switch (size.name()) {
      case HOG -> new Hogs();
      case BUSY -> new Busy();
      case SPREAD -> new Spread(size.size());
      case CLEAN_END -> new CleanEnd(size.size());
      case BLOCKED_END -> new BlockedEnd();
      default -> throw new IllegalArgumentException("no such case: " + size);
    };
  }

  private static Program pekko(Case size) {
    return switch (size.name()) {
      case HOG -> new PekkoHogs();
      case BUSY -> new PekkoBusy();
      case SPREAD -> new PekkoSpread(size.size());
      default -> throw new IllegalArgumentException("no such case: " + size);
    };
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
      bars.add(Bar.atMost(HOG, subject, LONGEST_WAIT, MILLIS));
      bars.add(Bar.atMost(BUSY, subject, LONGEST_WAIT, MILLIS));
      bars.add(Bar.atMost(SPREAD, subject, EVEN_ENOUGH, "%"));
      bars.add(Bar.atMost(CLEAN_END, subject, PROMPT, MILLIS));
      bars.add(Bar.atMost(BLOCKED_END, subject, DEADLINE_AND_SOME, MILLIS));
    }
    return bars;
  }
}
