// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.Observed;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.trace.ThreadTrace.Name;
import dev.heddle.observe.trace.TraceRing;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// Records a trace of a JVM: begins it, waits, ends it and fetches what there is.
///
/// The entries come through the pipe over which that JVM is observed, in pieces, and are kept here
/// until they are written. That JVM writes no file.
public final class Capture {
  private static final long LOOK_NANOS = 200_000_000; // whether it still runs

  /// What came of it.
  ///
  /// @param program its name
  /// @param threads what was recorded
  /// @param pauses of the garbage collectors: rows
  /// @param refused why something was not recorded, a line each
  public record Result(
      String program, List<ThreadTrace> threads, List<Properties> pauses, List<String> refused) {}

  private final Watch watch;
  private final List<Observed> recorded = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();

  /// @param watch stays open
  public Capture(Watch watch) {
    this.watch = watch;
  }

  /// Records for so long.
  ///
  /// @throws AttachException when it ends meanwhile
  public Result run(Duration duration) throws AttachException {
    JavaProcess process = watch.list();
    watch.recordPauses(); // first: it loads classes there
    for (Observed each :
        Stream.concat(process.loops().stream(), process.runtimes().stream()).toList()) {
      String why = watch.record(each);
      if (why.isEmpty()) {
        recorded.add(each);
      } else {
        refused.add(why);
      }
    }
    if (recorded.isEmpty()) {
      return new Result(process.program(), List.of(), List.of(), refused);
    }
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
      watch.checkAlive();
    }
    List<List<Properties>> rows = new ArrayList<>();
    for (Observed each : recorded) {
      rows.add(watch.recorded(each)); // all end before the first is fetched
    }
    List<Properties> pauses = watch.recordedPauses();
    List<ThreadTrace> threads = new ArrayList<>();
    for (int i = 0; i < recorded.size(); i++) {
      threads.addAll(fetch(recorded.get(i), rows.get(i)));
    }
    return new Result(process.program(), threads, pauses, refused);
  }

  private List<ThreadTrace> fetch(Observed from, List<Properties> rows) throws AttachException {
    Properties whole = rows.getFirst();
    Map<Long, Name> names = names(rows);
    List<ThreadTrace> threads = new ArrayList<>();
    for (Properties row : rows) {
      if ("ring".equals(row.getProperty("row"))) {
        threads.add(
            new ThreadTrace(
                row.getProperty("what", from.text("kind").equals("loop") ? "loop" : "worker"),
                row.getProperty("name", ""),
                whole,
                row,
                entries(from, row),
                names,
                rows.stream().filter(each -> "hold".equals(each.getProperty("row"))).toList()));
      }
    }
    return threads;
  }

  private static Map<Long, Name> names(List<Properties> rows) {
    Map<Long, Name> names = new HashMap<>();
    for (Properties row : rows) {
      if ("names".equals(row.getProperty("row"))) {
        putAll(row, names);
      }
    }
    return names;
  }

  private static void putAll(Properties row, Map<Long, Name> names) {
    for (String key : row.stringPropertyNames()) {
      if (!key.equals("row")) {
        names.put(Long.valueOf(key), Name.read(row.getProperty(key)));
      }
    }
  }

  private TraceRing.Copy entries(Observed from, Properties ring) throws AttachException {
    long total = ThreadTrace.number(ring, "recorded");
    long left = TraceRing.Copy.bytes(total - ThreadTrace.number(ring, "lost"));
    ByteArrayOutputStream all = new ByteArrayOutputStream((int) left);
    while (left > 0) {
      byte[] piece = watch.piece(from);
      if (piece == null) {
        break; // safe: what is missing counts as lost
      }
      all.writeBytes(piece);
      left -= piece.length;
    }
    return TraceRing.Copy.of(all.toByteArray(), total);
  }
}
