// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.observe.attach.Feed;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessCounters;
import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.QueueDelay;
import dev.heddle.process.WorkerCounters;
import dev.heddle.process.feed.ProcessAccounts.Use;
import dev.heddle.process.host.HostInspector;
import dev.heddle.process.host.ProcessFailures;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.Supervisor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The feed of a runtime.
///
/// Each look reads at most about [#MOST] processes, a part of the table after the other, so what it
/// costs does not grow with their number; with more, a process is read at every second look, or at
/// every third. Workers take no part in it: the fields are read from outside, and may be a moment
/// old. The share of the time in which workers are awake is an estimate: what a probe finds lasts
/// to the next one. A part of the table is locked while it is listed, for about a nanosecond for
/// each start.
public final class RuntimeFeed implements Feed {
  private static final int MOST = 20_000;
  private static final int SHOWN = 20; // of each kind
  private static final int LISTED = 5_000; // processes of the tree
  private static final long LONGEST_GAP =
      1_000_000_000; // ns between two probes; else nobody looked
  private static final String PROCESS = "process ";
  private static final String ACCOUNT = "account ";
  private static final StackTraceElement[] NO_STACK = {};
  private static final int NEVER = -1; // no supervisor
  private static final double MEDIAN = 0.5;
  private static final double MOST_OF_THEM = 0.99;

  /// What is remembered of a process from look to look, if it is worth that.
  ///
  /// @param steps so far: while they stay the same, it waits for the same commands
  /// @param blockedSince when it was first seen so
  /// @param mailbox messages in it, and how many more than at the look before
  /// @param restarts of its children, if it is a supervisor; else [#NEVER]
  private record Seen(
      ProcessInstance process,
      long steps,
      boolean blocked,
      long blockedSince,
      int mailbox,
      int growth,
      long restarts,
      long newRestarts) {
    boolean isWorthIt() {
      return blocked || mailbox > 0 || restarts != NEVER;
    }
  }

  private final Supplier<Map<String, String>> summary;
  private final HostInspector inspector;
  private final List<Map<Long, Seen>> parts = new ArrayList<>();
  private int next; // the part that is read next
  private @Nullable ProcessAccounts accounts; // null: not asked for

  // of all workers together
  private long awakeNanos;
  private long sampledNanos;
  private long sampledAt; // 0: never
  private int awake; // workers, at that moment

  /// @param summary the row of the runtime itself
  public RuntimeFeed(Supplier<Map<String, String>> summary, HostInspector inspector) {
    this.summary = summary;
    this.inspector = inspector;
    for (int i = 0; i < inspector.parts(); i++) {
      parts.add(Map.of());
    }
  }

  @Override
  public List<Map<String, String>> look() {
    long began = System.nanoTime();
    int read = readSome();
    List<Seen> seen = parts.stream().map(Map::values).flatMap(Collection::stream).toList();
    List<Map<String, String>> rows = new ArrayList<>();
    ProcessCounters counters = inspector.counters();
    Map<String, String> runtime = runtime(counters);
    rows.add(runtime);
    counters.workers().forEach(worker -> rows.add(row(worker)));
    most(seen, each -> each.mailbox).forEach(each -> rows.add(mailbox(each)));
    long now = System.nanoTime();
    most(seen, each -> each.blocked ? now - each.blockedSince : 0)
        .forEach(each -> rows.add(command(each, now - each.blockedSince)));
    most(seen, each -> each.restarts).forEach(each -> rows.add(supervisor(each)));
    long restarts = seen.stream().mapToLong(each -> Math.max(0, each.restarts)).sum();
    runtime.put("restarts", Long.toString(restarts));
    runtime.put("read", Integer.toString(read));
    runtime.put("lookNanos", Long.toString(System.nanoTime() - began));
    return rows;
  }

  @Override
  public void probe() {
    probe(System.nanoTime());
  }

  /// The same; tests say when.
  ///
  /// @param now of [System#nanoTime()], not 0
  public void probe(long now) {
    List<WorkerCounters> workers = inspector.workers().counters();
    if (sampledAt != 0 && now - sampledAt <= LONGEST_GAP) {
      sampledNanos += workers.size() * (now - sampledAt);
      awakeNanos += awake * (now - sampledAt);
    }
    sampledAt = now;
    awake = (int) workers.stream().filter(worker -> !worker.asleep()).count();
  }

  // ---- details ----

  /// Answers `processes`, with the tree of processes; `process` and a PID, with that one and its
  /// stack; `reports`, with the deadlocks that last and the last failures of processes that no
  /// other one deals with; `accounts`, with what the processes of each type, and those that were
  /// busiest, have used since this was first asked; and `account` and a PID, with that of a
  /// process.
  ///
  /// With the first question about accounts they begin, and each run costs more until the observer
  /// leaves, or asks `no accounts`. While there are some, `processes` has them, too.
  @Override
  public List<Map<String, String>> detail(String question) {
    if (question.startsWith(PROCESS)) {
      ProcessSnapshot found = inspector.snapshot(Pid.parse(question.substring(PROCESS.length())));
      return found == null ? List.of() : List.of(withStack(found));
    }
    if (question.startsWith(ACCOUNT)) {
      Pid pid = Pid.parse(question.substring(ACCOUNT.length()));
      Use use = openAccounts().use(pid.id());
      return use == null ? List.of() : List.of(row(use));
    }
    return switch (question) {
      case "accounts" -> accounts();
      case "no accounts" -> {
        endAccounts();
        yield List.of();
      }
      case "processes" -> processes();
      case "reports" ->
          Stream.concat(
                  inspector.deadlocks().stream().map(RuntimeFeed::row),
                  inspector.failures().stream().map(RuntimeFeed::row))
              .toList();
      default -> Feed.super.detail(question);
    };
  }

  // ---- accounts ----

  private ProcessAccounts openAccounts() {
    ProcessAccounts open = accounts;
    if (open == null) {
      open = ProcessAccounts.of(inspector.workers());
      accounts = open;
    }
    return open;
  }

  private void endAccounts() {
    ProcessAccounts open = accounts;
    if (open != null) {
      accounts = null;
      open.end();
    }
  }

  private List<Map<String, String>> accounts() {
    ProcessAccounts open = openAccounts();
    List<Map<String, String>> rows = new ArrayList<>();
    Map<String, String> whole = new LinkedHashMap<>();
    whole.put("row", "accounts");
    whole.put("nanos", Long.toString(open.nanos()));
    whole.put("workers", Integer.toString(inspector.workers().counters().size()));
    rows.add(whole);
    ProcessAccounts.Uses uses = open.uses();
    busiest(uses.byType(), rows);
    busiest(uses.byProcess(), rows);
    return rows;
  }

  private static Map<Long, Use> usesById(ProcessAccounts of) {
    Map<Long, Use> uses = new HashMap<>();
    for (Use use : of.uses().byProcess()) {
      ProcessInstance process = use.of();
      if (process != null) {
        uses.put(process.id(), use);
      }
    }
    return uses;
  }

  private static void busiest(Collection<Use> uses, List<Map<String, String>> rows) {
    uses.stream()
        .sorted(Comparator.comparingLong(Use::busyNanos).reversed())
        .limit(SHOWN)
        .map(RuntimeFeed::row)
        .forEach(rows::add);
  }

  private static Map<String, String> row(Use use) {
    Map<String, String> fields = new LinkedHashMap<>();
    ProcessInstance of = use.of();
    fields.put("row", of == null ? "account" : "process account");
    if (of != null) {
      fields.put("pid", of.self().toString());
    }
    fields.put("type", use.type());
    fields.put("processes", Long.toString(use.processes()));
    addUse(fields, use);
    return fields;
  }

  private static void addUse(Map<String, String> fields, Use use) {
    fields.put("runs", Long.toString(use.runs()));
    fields.put("runSteps", Long.toString(use.steps()));
    fields.put("busyNanos", Long.toString(use.busyNanos()));
    fields.put("longestNanos", Long.toString(use.longestNanos()));
    fields.put("waitedNanos", Long.toString(use.waitedNanos()));
  }

  /// All processes, or, if they are too many, those with children, restarts or messages first.
  private List<Map<String, String>> processes() {
    List<Ranked> all = new ArrayList<>();
    for (int i = 0; i < inspector.parts(); i++) {
      inspector.part(i).forEach(each -> all.add(Ranked.now(each)));
    }
    List<Map<String, String>> rows = new ArrayList<>();
    ProcessAccounts open = accounts;
    Map<Long, Use> uses = open == null ? Map.of() : usesById(open);
    all.stream()
        .sorted(Ranked.FIRST)
        .limit(LISTED)
        .map(Ranked::of)
        .sorted(Comparator.comparingLong(ProcessInstance::id))
        .forEach(each -> {
          Map<String, String> row = row(each.snapshot(NO_STACK, each.body()), each.process());
          Use use = uses.get(each.id());
          if (use != null) {
            addUse(row, use);
          }
          rows.add(row);
        });
    int left = Math.max(0, all.size() - LISTED);
    rows.add(Map.of("row", "left", "processes", Integer.toString(left)));
    return rows;
  }

  /// What a process is sorted by, as it is at one moment: a mailbox that changes while it is
  /// compared has no place.
  private record Ranked(ProcessInstance of, boolean isSupervisor, int mailbox) {
    static final Comparator<Ranked> FIRST =
        Comparator.comparing(Ranked::isSupervisor)
            .reversed()
            .thenComparing(Comparator.comparingInt(Ranked::mailbox).reversed())
            .thenComparingLong(each -> each.of.id());

    static Ranked now(ProcessInstance of) {
      return new Ranked(of, restarts(of.process()) != NEVER, of.mailbox());
    }
  }

  private static Map<String, String> row(ProcessSnapshot snapshot, Process code) {
    Map<String, String> fields = row(snapshot);
    long restarts = restarts(code);
    if (restarts != NEVER) {
      fields.put("restarts", Long.toString(restarts));
    }
    return fields;
  }

  private static Map<String, String> row(ProcessSnapshot snapshot) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", "process");
    fields.put("pid", snapshot.pid().toString());
    fields.put("process", snapshot.kind());
    fields.put("state", snapshot.state().displayName());
    fields.put("starting", Boolean.toString(snapshot.starting()));
    fields.put("mailbox", Integer.toString(snapshot.mailbox()));
    fields.put("steps", Long.toString(snapshot.steps()));
    fields.put("waitsFor", snapshot.waitsFor() == null ? "" : snapshot.waitsFor());
    fields.put("parent", snapshot.parent() == null ? "" : snapshot.parent().toString());
    fields.put("names", String.join(", ", snapshot.names()));
    fields.put("links", Integer.toString(snapshot.links().size()));
    return fields;
  }

  private static Map<String, String> withStack(ProcessSnapshot snapshot) {
    Map<String, String> fields = row(snapshot);
    fields.put("linkedTo", lines(snapshot.links()));
    fields.put("monitored", lines(snapshot.monitored()));
    fields.put("stack", lines(snapshot.stack()));
    return fields;
  }

  private static String lines(List<?> all) {
    return all.stream().map(Object::toString).collect(Collectors.joining("\n"));
  }

  private static Map<String, String> row(ProcessFailures.Failure failure) {
    return Map.of(
        "row",
        "report",
        "kind",
        "failure",
        "atMillis",
        Long.toString(failure.atMillis()),
        "text",
        failure.text());
  }

  private static Map<String, String> row(ProcessDeadlock deadlock) {
    return Map.of("row", "report", "kind", "deadlock", "text", deadlock.text());
  }

  @Override
  public void close() {
    parts.clear();
    endAccounts();
  }

  private int readSome() {
    int read = 0;
    for (int i = 0; i < parts.size() && (i == 0 || read < MOST); i++) {
      read += readPart(next);
      next = (next + 1) % parts.size();
    }
    return read;
  }

  private int readPart(int part) {
    Map<Long, Seen> before = parts.get(part);
    Map<Long, Seen> now = new HashMap<>();
    List<ProcessInstance> processes = inspector.part(part);
    for (ProcessInstance process : processes) {
      Seen seen = seen(process, before.get(process.id()));
      if (seen.isWorthIt()) {
        now.put(process.id(), seen);
      }
    }
    parts.set(part, now);
    return processes.size();
  }

  private static Seen seen(ProcessInstance process, @Nullable Seen before) {
    long steps = process.steps();
    boolean blocked = process.state() == Task.State.BLOCKED;
    long since =
        before != null && before.blocked && before.steps == steps
            ? before.blockedSince
            : System.nanoTime();
    int mailbox = process.mailbox();
    long restarts = restarts(process.process());
    return new Seen(
        process,
        steps,
        blocked,
        since,
        mailbox,
        before == null ? 0 : mailbox - before.mailbox,
        restarts,
        before == null ? 0 : restarts - before.restarts);
  }

  private static long restarts(Process process) {
    return switch (process) {
      case Supervisor supervisor -> supervisor.restarts();
      case DynamicSupervisor supervisor -> supervisor.restarts();
      default -> NEVER;
    };
  }

  /// Those for which a figure is above 0, the largest first.
  private static List<Seen> most(List<Seen> seen, ToLongFunction<Seen> figure) {
    return seen.stream()
        .filter(each -> figure.applyAsLong(each) > 0)
        .sorted(Comparator.comparingLong(figure).reversed())
        .limit(SHOWN)
        .toList();
  }

  // ---- rows ----

  private Map<String, String> runtime(ProcessCounters counters) {
    Map<String, String> fields = summary.get();
    QueueDelay delay = counters.queueDelay();
    fields.put("row", "runtime");
    fields.put("undelivered", Long.toString(counters.undelivered()));
    fields.put("lateResults", Long.toString(counters.lateResults()));
    fields.put("longSteps", Long.toString(counters.longSteps()));
    fields.put("deadlocks", Long.toString(counters.deadlocks()));
    fields.put("failures", Long.toString(inspector.failureCount()));
    fields.put("reports", Long.toString(inspector.failuresWritten()));
    fields.put("delaySamples", Long.toString(delay.samples()));
    fields.put("delayMedianMicros", micros(delay, MEDIAN));
    fields.put("delay99Micros", micros(delay, MOST_OF_THEM));
    fields.put(
        "delays", delay.counts().stream().map(Object::toString).collect(Collectors.joining(" ")));
    fields.put("awakeNanos", Long.toString(awakeNanos));
    fields.put("sampledNanos", Long.toString(sampledNanos));
    return fields;
  }

  private static String micros(QueueDelay delay, double part) {
    return Long.toString(delay.percentile(part).toNanos() / 1_000);
  }

  private static Map<String, String> row(WorkerCounters worker) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", "worker");
    fields.put("number", Integer.toString(worker.number()));
    fields.put("state", worker.asleep() ? "asleep" : "awake");
    fields.put("executed", Long.toString(worker.executed()));
    fields.put("stolen", Long.toString(worker.stolen()));
    fields.put("parks", Long.toString(worker.parks()));
    fields.put("queued", Integer.toString(worker.queued()));
    return fields;
  }

  private static Map<String, String> process(String row, ProcessInstance process) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", row);
    fields.put("pid", process.self().toString());
    fields.put("process", process.kind());
    return fields;
  }

  private static Map<String, String> mailbox(Seen seen) {
    Map<String, String> fields = process("mailbox", seen.process);
    fields.put("mailbox", Integer.toString(seen.mailbox));
    fields.put("growth", Integer.toString(seen.growth));
    fields.put("state", seen.process.state().name().toLowerCase(Locale.ROOT));
    return fields;
  }

  private static Map<String, String> command(Seen seen, long nanos) {
    Map<String, String> fields = process("command", seen.process);
    String waitsFor = seen.process.waitsFor();
    fields.put("waitsFor", waitsFor == null ? "" : waitsFor);
    fields.put("waitedMillis", Long.toString(nanos / 1_000_000));
    return fields;
  }

  private static Map<String, String> supervisor(Seen seen) {
    Map<String, String> fields = process("supervisor", seen.process);
    fields.put("restarts", Long.toString(seen.restarts));
    fields.put("newRestarts", Long.toString(seen.newRestarts));
    return fields;
  }
}
