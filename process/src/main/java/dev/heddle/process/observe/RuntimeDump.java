// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.observe.DumpPart;
import dev.heddle.process.CompensationCounters;
import dev.heddle.process.ProcessCounters;
import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.QueueDelay;
import dev.heddle.process.WorkerCounters;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A dump of a runtime with its workers and processes.
///
/// @param name of the runtime
/// @param uptime since its start
/// @param counters of the runtime
/// @param deadlocks that were reported and have not ended
/// @param processes in the order of their starts, with the stacks of those in a step
public record RuntimeDump(
    String name,
    Duration uptime,
    ProcessCounters counters,
    List<ProcessDeadlock> deadlocks,
    List<ProcessSnapshot> processes)
    implements DumpPart {
  private static final int MAX_SHOWN = 3; // of a group

  /// Processes that are alike form a group, of which the text shows a few.
  private record GroupKey(
      String kind,
      ProcessSnapshot.State state,
      boolean starting,
      @Nullable String waitsFor,
      List<StackTraceElement> stack) {}

  public RuntimeDump {
    deadlocks = List.copyOf(deadlocks);
    processes = List.copyOf(processes);
  }

  /// The dump as text, with the first processes of each group.
  @Override
  public String text() {
    QueueDelay delay = counters.queueDelay();
    StringBuilder text =
        new StringBuilder(
            "Runtime '%s', up for %d s: %,d processes on %d workers, %d of them awake%n"
                .formatted(
                    name,
                    uptime.toSeconds(),
                    counters.processes(),
                    counters.workers().size(),
                    counters.workers().stream().filter(worker -> !worker.asleep()).count()));
    text.append(
        "%,d started, %,d runs; 99 of 100 that were ready had a worker within %,d us (%,d samples)%n"
            .formatted(
                counters.started(), counters.executed(), micros(delay, 0.99), delay.samples()));
    text.append(workerTable(counters)).append('\n');
    CompensationCounters compensation = counters.compensation();
    if (compensation.started() > 0) {
      text.append(
          "%,d compensating workers run, %,d started, %,d tasks executed%n"
              .formatted(compensation.running(), compensation.started(), compensation.executed()));
    }
    deadlocks.forEach(deadlock -> text.append('\n').append(deadlock.text()).append('\n'));
    if (!processes.isEmpty()) {
      text.append('\n');
    }
    alike().forEach(group -> write(group, text));
    return text.toString();
  }

  /// A line for each worker.
  public static String workerTable(ProcessCounters counters) {
    return counters.workers().stream()
        .map(worker ->
            "worker %d %s, %,d executed, %,d stolen, parked %,d times, %,d queued"
                .formatted(
                    worker.number(),
                    worker.asleep() ? "asleep" : "awake",
                    worker.executed(),
                    worker.stolen(),
                    worker.parks(),
                    worker.queued()))
        .collect(Collectors.joining("\n"));
  }

  private Iterable<List<ProcessSnapshot>> alike() {
    Map<GroupKey, List<ProcessSnapshot>> groups =
        processes.stream()
            .collect(
                Collectors.groupingBy(
                    process ->
                        new GroupKey(
                            process.kind(),
                            process.state(),
                            process.starting(),
                            process.waitsFor(),
                            process.stack()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    return groups.values();
  }

  private static void write(List<ProcessSnapshot> group, StringBuilder text) {
    group.stream().limit(MAX_SHOWN).forEach(process -> text.append(process.info()).append('\n'));
    group.getFirst().stack().forEach(frame -> text.append("  at ").append(frame).append('\n'));
    if (group.size() > MAX_SHOWN) {
      text.append("  and %,d more, alike%n".formatted(group.size() - MAX_SHOWN));
    }
  }

  /// The dump as a JSON object, with all processes.
  @Override
  public String json() {
    QueueDelay delay = counters.queueDelay();
    return "{\"runtime\":%s,\"uptimeMillis\":%d,\"started\":%d,\"executed\":%d,\"undelivered\":%d,"
            .formatted(
                quoted(name),
                uptime.toMillis(),
                counters.started(),
                counters.executed(),
                counters.undelivered())
        + "\"lateResults\":%d,\"longSteps\":%d,\"queueDelayMicros\":{\"samples\":%d,\"median\":%d,\"p99\":%d},"
            .formatted(
                counters.lateResults(),
                counters.longSteps(),
                delay.samples(),
                micros(delay, 0.5),
                micros(delay, 0.99))
        + "\"compensation\":{\"running\":%d,\"started\":%d,\"executed\":%d},"
            .formatted(
                counters.compensation().running(),
                counters.compensation().started(),
                counters.compensation().executed())
        + list("deadlocks", deadlocks, deadlock -> quoted(deadlock.text()), ",")
        + list("workers", counters.workers(), RuntimeDump::json, ",")
        + list("processes", processes, RuntimeDump::json, "}");
  }

  private static String json(WorkerCounters worker) {
    return "{\"worker\":%d,\"asleep\":%b,\"executed\":%d,\"stolen\":%d,\"parks\":%d,\"queued\":%d}"
        .formatted(
            worker.number(),
            worker.asleep(),
            worker.executed(),
            worker.stolen(),
            worker.parks(),
            worker.queued());
  }

  private static String json(ProcessSnapshot process) {
    return "{\"pid\":%s,\"kind\":%s,\"state\":%s,\"starting\":%b,\"waitsFor\":%s,"
            .formatted(
                quoted(process.pid()),
                quoted(process.kind()),
                quoted(process.state().displayName()),
                process.starting(),
                quoted(process.waitsFor()))
        + "\"mailbox\":%d,\"steps\":%d,\"pendingCommands\":%d,\"parent\":%s,"
            .formatted(
                process.mailbox(),
                process.steps(),
                process.pendingCommands(),
                quoted(process.parent()))
        + list("names", process.names(), RuntimeDump::quoted, ",")
        + list("links", process.links(), RuntimeDump::quoted, ",")
        + list("monitored", process.monitored(), RuntimeDump::quoted, ",")
        + list("stack", process.stack(), RuntimeDump::quoted, "}");
  }

  private static long micros(QueueDelay delay, double part) {
    return delay.percentile(part).toNanos() / 1_000;
  }

  private static <T> String list(
      String name, List<T> values, Function<? super T, String> json, String end) {
    return values.stream()
        .map(json)
        .collect(Collectors.joining(",", quoted(name) + ":[", "]" + end));
  }

  private static String quoted(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : value.toString().toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
