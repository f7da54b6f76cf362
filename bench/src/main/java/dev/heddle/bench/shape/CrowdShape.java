// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleCrowd;
import dev.heddle.bench.ours.HeddleCrowd.Way;
import dev.heddle.bench.peer.StockCrowd;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Many that wait for one thing.
final class CrowdShape {
  private static final List<Way> WAYS = List.of(Way.values()); // a case carries its index
  private static final int SMALL = 10_000;
  private static final int LARGE = 1_000_000;
  private static final int HALF_A_SECOND = 400_000; // of CPU, for so many
  private static final int[] SIZES = {SMALL, 100_000, HALF_A_SECOND, LARGE};

  // a hundred times as many: their stacks fit no cache any more, and the collector has to move them
  private static final double GROWTH = 5;

  private static final Metric SECONDS = new Metric("s CPU", sample -> sample.cpuNanos() / 1e9);

  private CrowdShape() {}

  static Shape shape() {
    List<Case> cases = new ArrayList<>();
    List<Bar> bars = new ArrayList<>();
    for (Way way : Way.values()) {
      for (int size : SIZES) {
        cases.add(sized(way, size));
      }
      for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
        bars.add(Bar.growth(name(way, LARGE), subject, GROWTH, name(way, SMALL)));
        bars.add(Bar.atMost(name(way, HALF_A_SECOND) + "-all", subject, 0.5, "s CPU"));
      }
    }
    return new Shape(
        "crowd",
        "Coroutines wait for one event: CPU from the moment in which it wakes them, or they are"
            + " cancelled one by one in no order, or by their scope, or their waits are begun and"
            + " time out, or the token of their blocks fires, until the last has ended. Per"
            + " coroutine, and for all.",
        cases,
        contenders(),
        bars);
  }

  private static Case sized(Way way, int size) {
    String name = name(way, size);
    return new Case(
        name,
        String.format(Locale.ROOT, "%,d, %s", size, words(way)),
        WAYS.indexOf(way),
        Pace.fixed(size, 1_000),
        List.of(new Row(name, Metric.CPU), new Row(name + "-all", SECONDS)));
  }

  private static String name(Way way, int size) {
    return "crowd-" + words(way).replace(' ', '-') + "-" + size;
  }

  private static String words(Way way) {
    return way.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static List<Contender> contenders() {
    String[] woken = new String[SIZES.length];
    for (int i = 0; i < SIZES.length; i++) {
      woken[i] = name(Way.WOKEN, SIZES[i]);
    }
    return List.of(
        Contender.of(
            Contender.HEDDLE, "coroutines, library flags", Flags.library(), CrowdShape::ours),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            CrowdShape::ours),
        Contender.of(
                "stock-latch",
                "stock virtual threads that wait for a CountDownLatch",
                Flags.stock(),
                _ -> new StockCrowd())
            .only(woken));
  }

  private static HeddleCrowd ours(Case size) {
    return new HeddleCrowd(WAYS.get(size.size()));
  }
}
