// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.ours.HeddleReads;
import dev.heddle.bench.peer.FioReads;
import dev.heddle.bench.peer.ThreadReads;
import java.util.ArrayList;
import java.util.List;

/// Random reads of a file.
final class FileShape {
  private static final String BUFFERED = "file";
  private static final String DIRECT = "file-direct";
  private static final String FIO = "fio";
  private static final int DEPTH = 32;

  private FileShape() {}

  static Shape shape() {
    return new Shape(
        "file",
        "Random reads of 4 KiB of a file of 256 MiB, 32 under way: from the system's cache, and"
            + " past it (O_DIRECT).",
        List.of(
            sized(BUFFERED, "from the cache", RoundSize.calibrated(6_400, 640)),
            sized(DIRECT, "O_DIRECT", RoundSize.calibrated(1_600, 160))),
        contenders(),
        bars());
  }

  private static Case sized(String name, String what, RoundSize roundSize) {
    return new Case(
        name,
        what,
        DEPTH,
        roundSize,
        List.of(new Row(name, Metric.rate("reads/s")), new Row(name + "-cpu", Metric.CPU_MICROS)));
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String row : List.of(BUFFERED, DIRECT)) {
      bars.add(Bar.atLeast(row, Contender.HEDDLE, 0.8, FIO));
      bars.add(Bar.atLeast(row, Contender.HEDDLE_LAUNCHER, 0.8, FIO));
    }
    return bars;
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags, the best driver that works here",
            Flags.library(),
            FileShape::heddle),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            FileShape::heddle),
        driver("io_uring"),
        driver("epoll"),
        driver("jdk"),
        Contender.of(
            "stock",
            "FileChannel on stock virtual threads",
            Flags.stock(),
            size -> ThreadReads.stock(size.size(), isDirect(size))),
        Contender.of(
            "pool",
            "FileChannel on a pool of platform threads",
            Flags.stock(),
            size -> ThreadReads.pool(size.size(), isDirect(size))),
        Contender.of(
                FIO,
                Tool.version(FIO) + " on io_uring, one thread: the limit",
                Flags.stock(),
                size -> new FioReads(size.size(), isDirect(size)))
            .needing(Need.command(FIO)));
  }

  private static Contender driver(String driver) {
    return Contender.of(
            Contender.HEDDLE + "-" + driver,
            "library flags, on the driver '" + driver + "'",
            Flags.with(Flags.library(), "-Dheddle.driver=" + driver),
            FileShape::heddle)
        .needing(Need.driver(driver));
  }

  private static Program heddle(Case size) throws Exception {
    return new HeddleReads(size.size(), isDirect(size));
  }

  private static boolean isDirect(Case size) {
    return size.name().equals(DIRECT);
  }
}
