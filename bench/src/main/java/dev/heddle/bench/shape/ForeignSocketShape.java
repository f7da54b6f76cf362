// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleSocket;
import dev.heddle.bench.peer.StockSocket;
import java.util.List;

/// Echo through the JDK's own sockets.
final class ForeignSocketShape {
  private static final String SYSTEM_POLLERS = "-Djdk.pollerMode=1";

  private ForeignSocketShape() {}

  static Shape shape() {
    return new Shape(
        "foreign-socket",
        "Echo of 64 bytes through java.net sockets, client and server in one process. One operation"
            + " is one round trip; CPU time of all threads, the kernel's part included.",
        List.of(
            Case.of(
                "foreign-socket", "1 pair", 1, RoundSize.calibrated(500, 200), Metric.CPU_MICROS),
            Case.of(
                "foreign-socket-16",
                "16 pairs",
                16,
                RoundSize.calibrated(1_600, 320),
                Metric.CPU_MICROS)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.ratio("foreign-socket", Contender.HEDDLE_LAUNCHER, 1.1, "stock-poller-1"),
        Bar.ratio("foreign-socket-16", Contender.HEDDLE_LAUNCHER, 1.1, "stock-poller-1"));
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            size -> new HeddleSocket(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleSocket(size.size())),
        Contender.of(
            "stock", "stock virtual threads", Flags.stock(), size -> new StockSocket(size.size())),
        Contender.of(
            "stock-poller-1",
            "stock virtual threads, system threads as pollers",
            Flags.with(Flags.stock(), SYSTEM_POLLERS),
            size -> new StockSocket(size.size())));
  }
}
