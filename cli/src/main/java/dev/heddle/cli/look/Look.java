// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.Observed;
import dev.heddle.cli.attach.Watch;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/// What was seen of a JVM at one moment.
///
/// @param nanos the moment, for rates
/// @param time the moment, for people
/// @param pid its process id
/// @param program its name
/// @param seen its loops, then its runtimes, then what is known of loops that have ended
public record Look(long nanos, LocalTime time, long pid, String program, List<Seen> seen) {
  /// A loop or a runtime, or what is known of loops that have ended.
  ///
  /// @param number in the observation
  /// @param kind `loop`, `runtime` or `ended`
  /// @param rows of its feed; the first one is its own
  public record Seen(String number, String kind, String name, List<Properties> rows) {
    /// The row of itself.
    public Properties own() {
      return rows.getFirst();
    }

    /// Its rows of one sort.
    public List<Properties> of(String row) {
      return rows.stream().filter(each -> row.equals(each.getProperty("row"))).toList();
    }
  }

  /// Looks at all that runs in a JVM.
  public static Look at(Watch watch) throws AttachException {
    JavaProcess process = watch.list();
    List<Seen> seen = new ArrayList<>();
    for (Observed each : all(process)) {
      List<Properties> rows = watch.look(each);
      if (!rows.isEmpty()) { // else it has ended
        seen.add(new Seen(each.number(), each.text("kind"), each.name(), rows));
      }
    }
    return new Look(
        System.nanoTime(),
        LocalTime.now(ZoneId.systemDefault()),
        process.pid(),
        process.program(),
        List.copyOf(seen));
  }

  private static List<Observed> all(JavaProcess process) {
    return Stream.of(process.loops(), process.runtimes(), process.ended())
        .flatMap(List::stream)
        .toList();
  }

  /// A count of a row; 0 where it is missing.
  public static long count(Properties row, String name) {
    return Long.parseLong(row.getProperty(name, "0"));
  }

  /// How much a count has grown in a second, since an earlier look at the same.
  ///
  /// @return -1 when it was not seen before
  public long rate(Look before, Seen seen, String name) {
    for (Seen earlier : before.seen) {
      if (earlier.number.equals(seen.number) && nanos > before.nanos) {
        long more = count(seen.own(), name) - count(earlier.own(), name);
        return Math.round(1e9 * more / (nanos - before.nanos));
      }
    }
    return -1;
  }
}
