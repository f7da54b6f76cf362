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
  private static final int MEDIUM = 100_000;
  private static final int LARGE = 1_000_000;
  private static final int[] SIZES = {SMALL, MEDIUM, LARGE};

  private static final double HALF_A_SECOND = 1_250; // for 400,000, in ns for each

  // an exception for each says where it was cut: its stack trace is half of what it costs
  private static final double WITH_A_TRACE = 2 * HALF_A_SECOND;

  // a hundred times as many: their stacks fit no cache, and the collector moves them. So the
  // largest crowd may also take twice as long for each
  private static final double GROWTH = 5;

  private static final String ALL_THREADS = "-all-threads";
  private static final Metric CARRIER = Metric.count(HeddleCrowd.CARRIER, "ns CPU of the loop");

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
        bars.add(Bar.atMost(name(way, SMALL), subject, limit(way), CARRIER.unit()));
        bars.add(Bar.atMost(name(way, MEDIUM), subject, limit(way), CARRIER.unit()));
        bars.add(Bar.atMost(name(way, LARGE), subject, 2 * limit(way), CARRIER.unit()));
      }
    }
    return new Shape(
        "crowd",
        "Coroutines wait for one event: CPU from the moment in which it wakes them, or they are"
            + " cancelled one by one in no order, or by their scope, or their waits are begun and"
            + " time out, or the token of their blocks fires, until the last has ended. Of the"
            + " loop's thread, and of all threads with the collector's, per coroutine.",
        cases,
        contenders(),
        bars);
  }

  private static double limit(Way way) {
    return switch (way) {
      case WOKEN, SCOPE -> HALF_A_SECOND;
      case CANCELLED, TIMED_OUT, WITHIN -> WITH_A_TRACE;
    };
  }

  private static Case sized(Way way, int size) {
    String name = name(way, size);
    return new Case(
        name,
        String.format(Locale.ROOT, "%,d, %s", size, words(way)),
        WAYS.indexOf(way),
        RoundSize.fixed(size, 1_000),
        List.of(new Row(name, CARRIER), new Row(name + ALL_THREADS, Metric.CPU)));
  }

  private static String name(Way way, int size) {
    return "crowd-" + words(way).replace(' ', '-') + "-" + size;
  }

  private static String words(Way way) {
    return way.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static List<Contender> contenders() {
    List<String> stock = new ArrayList<>();
    for (int size : SIZES) {
      stock.add(name(Way.WOKEN, size));
    }
    // the latch searches its queue for each that leaves it: no more can be waited for
    stock.add(name(Way.CANCELLED, SMALL));
    stock.add(name(Way.TIMED_OUT, SMALL));
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
                "stock virtual threads that wait for a CountDownLatch; their figure is that of all"
                    + " threads",
                Flags.stock(),
                size -> new StockCrowd(WAYS.get(size.size())))
            .only(stock.toArray(String[]::new)));
  }

  private static HeddleCrowd ours(Case size) {
    return new HeddleCrowd(WAYS.get(size.size()));
  }
}
