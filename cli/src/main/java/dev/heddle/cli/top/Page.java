// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.look.Look;
import dev.heddle.cli.look.Look.Seen;
import dev.heddle.cli.look.Target;
import dev.heddle.cli.look.Uses;
import dev.heddle.cli.text.Printable;
import dev.heddle.cli.text.TextTable;
import dev.heddle.cli.top.Line.Tone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The lines that show a look. Pure: the same rows give the same lines.
final class Page {
  private static final int SITES = 15; // shown of each loop
  private static final int WAITS = 10;
  private static final int PROCESSES = 8; // of each kind of a runtime
  private static final long SECOND_MILLIS = 1_000;
  private static final long MINUTE_MILLIS = 60_000;
  private static final long NEW_MILLIS =
      5 * MINUTE_MILLIS; // so long the end of a loop is a warning

  private final Look now;
  private final @Nullable Look before;
  private final Order order;
  private final String filter;
  private final List<Line> lines = new ArrayList<>();

  private Page(Look now, @Nullable Look before, Order order, String filter) {
    this.now = now;
    this.before = before;
    this.order = order;
    this.filter = filter.toLowerCase(Locale.ROOT);
  }

  /// @param before the look before, for rates; null: there are none yet
  /// @param filter shows only rows of sites, waits and processes that contain it; empty: all
  static List<Line> of(Look now, @Nullable Look before, Order order, String filter) {
    return of(now, before, order, filter, Map.of());
  }

  /// The same.
  ///
  /// @param accounts rows, by the number of the loop or runtime
  static List<Line> of(
      Look now,
      @Nullable Look before,
      Order order,
      String filter,
      Map<String, List<Properties>> accounts) {
    Page page = new Page(now, before, order, filter);
    page.loops();
    page.ended();
    page.blankIfAny();
    page.runtimes();
    for (Seen each : now.seen()) {
      if (each.kind().equals("loop")) {
        page.accounts(each, accounts.getOrDefault(each.number(), List.of()));
        page.sites(each);
        page.waits(each);
      } else if (each.kind().equals("runtime")) {
        page.processes(each, accounts.getOrDefault(each.number(), List.of()));
      }
    }
    if (now.seen().stream().noneMatch(Page::runs)) {
      page.lines.add(Line.plain("Neither loops nor processes run now."));
    }
    return page.lines;
  }

  // ---- loops and runtimes ----

  private void loops() {
    List<Seen> loops = now.seen().stream().filter(each -> each.kind().equals("loop")).toList();
    TextTable table =
        new TextTable(
            "LOOP|STATE|COROUTINES|READY|WAITING|IN THE JDK|SWITCHES/S|DELAY 50%|99%|HOLDS|STALLS",
            Set.of(2, 3, 4, 5, 6, 7, 8, 9, 10));
    for (Seen loop : loops) {
      Properties own = loop.own();
      table.add(
          cell(loop.name()),
          own.getProperty("state", ""),
          number(own, "coroutines"),
          number(own, "ready"),
          number(own, "waiting"),
          number(own, "foreign"),
          rate(loop, "switches"),
          delay(own, "delayMedianMicros"),
          delay(own, "delay99Micros"),
          number(own, "holds"),
          number(own, "stalls"));
    }
    add(table, _ -> null);
    loops.forEach(this::notesOf);
  }

  private static boolean runs(Seen seen) {
    return seen.kind().equals("loop") || seen.kind().equals("runtime");
  }

  private void ended() {
    for (Seen each : now.seen()) {
      if (each.kind().equals("ended")) {
        Properties own = each.own();
        boolean isTimed = own.containsKey("lastAgoMillis"); // an older version does not say it
        long ago = Look.count(own, "lastAgoMillis");
        String text =
            "The loop '%s' %s. %s"
                .formatted(
                    cell(own.getProperty("lastLoop", "")),
                    isTimed ? "ended " + inWords(ago) + " ago" : "has ended",
                    cell(own.getProperty("lastReport", "")));
        lines.add(isTimed && ago < NEW_MILLIS ? Line.warning(text) : Line.plain(text));
      }
    }
  }

  private void blankIfAny() {
    boolean both = now.seen().stream().filter(Page::runs).map(Seen::kind).distinct().count() > 1;
    if (both) {
      lines.add(Line.plain(""));
    }
  }

  private void notesOf(Seen loop) {
    Properties own = loop.own();
    String name = cell(loop.name());
    if (own.getProperty("holder") != null) {
      String held = inWords(Look.count(own, "heldMillis"));
      lines.add(
          Line.warning(
              "The loop '%s' has been held for %s by %s."
                  .formatted(name, held, cell(own.getProperty("holder")))));
    } else if (own.getProperty("silent") != null) {
      lines.add(Line.warning("The loop '%s' does not answer.".formatted(name)));
    }
    if (Look.count(own, "unread") > 0) {
      lines.add(
          Line.plain(
              "%,d of '%s' have changed and are not read yet."
                  .formatted(Look.count(own, "unread"), name)));
    }
    String report = own.getProperty("lastReport", "");
    if (!report.isEmpty()) {
      lines.add(Line.warning("Last report: " + cell(report)));
    }
  }

  private void runtimes() {
    TextTable table =
        new TextTable(
            "RUNTIME|WORKERS|AWAKE|PROCESSES|STARTED|RUNS/S|DELAY 50%|99%|RESTARTS|UNDELIVERED",
            Set.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
    for (Seen runtime : now.seen()) {
      if (runtime.kind().equals("runtime")) {
        Properties own = runtime.own();
        table.add(
            cell(runtime.name()),
            number(own, "workers"),
            number(own, "awake"),
            number(own, "processes"),
            number(own, "started"),
            rate(runtime, "executed"),
            delay(own, "delayMedianMicros"),
            delay(own, "delay99Micros"),
            number(own, "restarts"),
            number(own, "undelivered"));
      }
    }
    add(table, _ -> null);
  }

  // ---- of one loop ----

  private void sites(Seen loop) {
    TextTable table = new TextTable("COUNT|STATE|OLDEST|WAITS FOR|SPAWNED AT", Set.of(0, 2));
    List<Properties> shown =
        loop.of("site").stream()
            .filter(this::isWanted)
            .sorted(order.comparator())
            .limit(SITES)
            .toList();
    for (Properties row : shown) {
      table.add(
          number(row, "count"),
          row.getProperty("state", ""),
          isWait(row) ? inWords(Look.count(row, "waitedMillis")) : "",
          cell(row.getProperty("on", "")),
          cell(row.getProperty("site", "")));
    }
    title("Sites of '%s', by %s".formatted(loop.name(), order.displayName), table);
    add(table, row -> target(loop, shown.get(row)));
  }

  private void accounts(Seen loop, List<Properties> rows) {
    TextTable table =
        new TextTable("BUSY|RUNS|LONGEST|BETWEEN|COROUTINES|SPAWNED AT", Set.of(0, 1, 2, 3, 4));
    long all = rows.isEmpty() ? 0 : Math.max(1, Look.count(rows.getFirst(), "nanos"));
    rows.stream()
        .filter(row -> "account".equals(row.getProperty("row")) && isWanted(row))
        .limit(SITES)
        .forEach(row -> {
          long runs = Look.count(row, "runs");
          table.add(
              String.format(Locale.ROOT, "%.1f %%", 100.0 * Look.count(row, "busyNanos") / all),
              TextTable.number(runs),
              Uses.time(Look.count(row, "longestNanos")),
              runs == 0 ? "" : Uses.time(Look.count(row, "waitedNanos") / runs),
              number(row, "coroutines"),
              cell(row.getProperty("site", "")));
        });
    title("Use of '%s', for %s".formatted(loop.name(), Uses.time(all)), table);
    add(table, _ -> null);
  }

  private void waits(Seen loop) {
    TextTable table = new TextTable("WAITED|COROUTINE|WAITS FOR|HELD BY", Set.of(0));
    List<Properties> shown = loop.of("wait").stream().filter(this::isWanted).limit(WAITS).toList();
    for (Properties row : shown) {
      table.add(
          inWords(Look.count(row, "waitedMillis")),
          cell(row.getProperty("name", "")),
          cell(row.getProperty("waitsFor", "")),
          cell(row.getProperty("holders", "")));
    }
    title("Longest waits in '%s'".formatted(loop.name()), table);
    add(table, row -> target(loop, shown.get(row)));
  }

  private static Target target(Seen loop, Properties row) {
    return new Target(loop.number(), Look.count(row, "id"));
  }

  private static boolean isWait(Properties row) {
    String state = row.getProperty("state", "");
    return state.equals("waiting") || state.startsWith("parked");
  }

  // ---- of one runtime ----

  private void processes(Seen runtime, List<Properties> accounts) {
    workers(runtime);
    if (!accounts.isEmpty()) {
      accountsOfTypes(runtime, accounts);
      accountsOfProcesses(runtime, accounts);
    }
    mailboxes(runtime);
    commands(runtime);
    supervisors(runtime);
  }

  private void accountsOfTypes(Seen runtime, List<Properties> rows) {
    long nanos = Look.count(rows.getFirst(), "nanos");
    TextTable table =
        new TextTable("BUSY|RUNS|STEPS|LONGEST|BETWEEN|PROCESSES|TYPE", Set.of(0, 1, 2, 3, 4, 5));
    shown(rows, "account")
        .forEach(row -> {
          List<String> cells = uses(row, nanos);
          table.add(
              cells.get(0),
              cells.get(1),
              cells.get(2),
              cells.get(3),
              cells.get(4),
              number(row, "processes"),
              cell(row.getProperty("type", "")));
        });
    String of = number(rows.getFirst(), "workers");
    title(
        "Use of the %s workers of '%s', for %s".formatted(of, runtime.name(), Uses.time(nanos)),
        table);
    add(table, _ -> null);
  }

  private void accountsOfProcesses(Seen runtime, List<Properties> rows) {
    long nanos = Look.count(rows.getFirst(), "nanos");
    TextTable table =
        new TextTable("BUSY|RUNS|STEPS|LONGEST|BETWEEN|PROCESS|PID", Set.of(0, 1, 2, 3, 4));
    shown(rows, "process account")
        .forEach(row -> {
          List<String> cells = uses(row, nanos);
          table.add(
              cells.get(0),
              cells.get(1),
              cells.get(2),
              cells.get(3),
              cells.get(4),
              cell(row.getProperty("type", "")),
              cell(row.getProperty("pid", "")));
        });
    title("Busiest processes of '%s'".formatted(runtime.name()), table);
    add(table, _ -> null);
  }

  private List<Properties> shown(List<Properties> rows, String kind) {
    return rows.stream()
        .filter(row -> kind.equals(row.getProperty("row")) && isWanted(row))
        .limit(WAITS)
        .toList();
  }

  private static List<String> uses(Properties row, long nanos) {
    long runs = Look.count(row, "runs");
    return List.of(
        String.format(
            Locale.ROOT, "%.1f %%", 100.0 * Look.count(row, "busyNanos") / Math.max(1, nanos)),
        TextTable.number(runs),
        number(row, "runSteps"),
        Uses.time(Look.count(row, "longestNanos")),
        runs == 0 ? "" : Uses.time(Look.count(row, "waitedNanos") / runs));
  }

  private void workers(Seen runtime) {
    TextTable table =
        new TextTable("WORKER|STATE|RUNS|STOLEN|PARKED|QUEUED", Set.of(0, 2, 3, 4, 5));
    for (Properties row : runtime.of("worker")) {
      table.add(
          row.getProperty("number", ""),
          row.getProperty("state", ""),
          number(row, "executed"),
          number(row, "stolen"),
          number(row, "parks"),
          number(row, "queued"));
    }
    title("Workers of '%s'".formatted(runtime.name()), table);
    add(table, _ -> null);
  }

  private void mailboxes(Seen runtime) {
    TextTable table = new TextTable("MAILBOX|GROWTH|STATE|PROCESS|PID", Set.of(0, 1));
    List<Properties> shown = shown(runtime, "mailbox");
    for (Properties row : shown) {
      table.add(
          number(row, "mailbox"),
          "%+,d".formatted(Look.count(row, "growth")),
          row.getProperty("state", ""),
          cell(row.getProperty("process", "")),
          cell(row.getProperty("pid", "")));
    }
    title("Fullest mailboxes of '%s'".formatted(runtime.name()), table);
    addToned(table, row -> Look.count(shown.get(row), "growth") > 0);
  }

  private void commands(Seen runtime) {
    TextTable table = new TextTable("FOR AT LEAST|COMMAND|PROCESS|PID", Set.of(0));
    for (Properties row : shown(runtime, "command")) {
      table.add(
          inWords(Look.count(row, "waitedMillis")),
          cell(row.getProperty("waitsFor", "")),
          cell(row.getProperty("process", "")),
          cell(row.getProperty("pid", "")));
    }
    title("Slowest commands of '%s'".formatted(runtime.name()), table);
    add(table, _ -> null);
  }

  private void supervisors(Seen runtime) {
    TextTable table = new TextTable("RESTARTS|NEW|PROCESS|PID", Set.of(0, 1));
    List<Properties> shown = shown(runtime, "supervisor");
    for (Properties row : shown) {
      table.add(
          number(row, "restarts"),
          number(row, "newRestarts"),
          cell(row.getProperty("process", "")),
          cell(row.getProperty("pid", "")));
    }
    title("Supervisors of '%s' that restart".formatted(runtime.name()), table);
    addToned(table, row -> Look.count(shown.get(row), "newRestarts") > 0);
  }

  private List<Properties> shown(Seen runtime, String kind) {
    return runtime.of(kind).stream().filter(this::isWanted).limit(PROCESSES).toList();
  }

  // ---- lines ----

  private boolean isWanted(Properties row) {
    return filter.isEmpty()
        || row.values().stream()
            .anyMatch(value -> value.toString().toLowerCase(Locale.ROOT).contains(filter));
  }

  private void title(String text, TextTable table) {
    if (!table.isEmpty()) {
      lines.add(Line.plain(""));
      lines.add(Line.heading(cell(text)));
    }
  }

  /// The rows of a table after the names of its columns.
  ///
  /// @param target of a row, by its place
  private void add(TextTable table, Function<Integer, @Nullable Target> target) {
    List<String> rows = table.toString().lines().toList();
    for (int i = 0; i < rows.size(); i++) {
      lines.add(
          i == 0
              ? Line.heading(rows.get(0))
              : new Line(rows.get(i), Tone.PLAIN, target.apply(i - 1)));
    }
  }

  private void addToned(TextTable table, Function<Integer, Boolean> isWarning) {
    List<String> rows = table.toString().lines().toList();
    for (int i = 0; i < rows.size(); i++) {
      boolean warns = i > 0 && isWarning.apply(i - 1);
      Line row = warns ? Line.warning(rows.get(i)) : Line.plain(rows.get(i));
      lines.add(i == 0 ? Line.heading(rows.get(0)) : row);
    }
  }

  // ---- cells ----

  // on one line: a name may have line ends, too
  private static String cell(String text) {
    return Printable.of(text).replaceAll("[\n\t]", "?");
  }

  private static String number(Properties row, String name) {
    return TextTable.number(Look.count(row, name));
  }

  private String rate(Seen seen, String name) {
    long rate = before == null ? -1 : now.rate(before, seen, name);
    return rate < 0 ? "-" : TextTable.number(rate);
  }

  private static String delay(Properties own, String name) {
    return Look.count(own, "delaySamples") == 0
        ? "-"
        : TextTable.number(Look.count(own, name)) + " us";
  }

  private static String inWords(long millis) {
    if (millis < SECOND_MILLIS) {
      return millis + " ms";
    }
    return millis < MINUTE_MILLIS
        ? String.format(Locale.ROOT, "%.1f s", millis / 1e3)
        : TextTable.inWords(Duration.ofMillis(millis));
  }
}
