// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.cli.trace.Arrows.Arrow;
import dev.heddle.cli.trace.Commands.Command;
import dev.heddle.cli.trace.Messages.Message;
import dev.heddle.observe.trace.TraceKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes what was recorded of one thread: a track of its runs and sleeps, one of what woke
/// coroutines from outside of all runs, and the arrows from those that woke to those that were
/// woken.
final class TrackWriter {
  /*
   * A run's end is its entry. Its beginning is a reading of the clock, which others may share: it
   * is not before the end of the run or sleep before, and not before what has woken the coroutine.
   * So a wake-up is always inside the run of the coroutine that caused it, and no arrow goes back.
   *
   * An arrow leads to a run, so it has both ends. It begins in the run of the waker, or in a mark
   * of the second track (Flows). What was woken and has not run any more has none.
   */
  private static final long MARK_NANOS = 100; // the width of a mark, where there is room
  private static final long LATEST_ENTRY_NANOS =
      100_000_000; // behind what is so: its thread waited
  private static final int NONE = -1;
  private static final Set<String> AS_THEY_ARE = Set.of("yields", "ends", "waits in the JDK");

  /// What the loop itself has done.
  private record Mark(long at, String name, Map<String, Object> args) {}

  private final JsonLines out;
  private final Flows flows;
  private final int process;
  private final int firstOfGroup; // of its tracks
  private final int thread;
  private final ThreadTrace trace;
  private final long[] places;
  private final @Nullable Arrow[] arrows; // to the run that is an entry
  private final @Nullable Command[] commands; // that an entry issues or completes
  private final @Nullable Message[] messages; // that an entry receives
  private final Map<Long, String> ends = new HashMap<>();
  private final List<Integer> received = new ArrayList<>(); // entries of the run that comes next
  private int stolen = NONE; // the entry that says so of that run
  private long spanEnd; // of the last run or sleep
  private @Nullable Mark mark; // is written when the next is known

  /// @param firstOfGroup the number of the first track of the threads that have something in common
  /// @param thread the number of its first track; the second has the next one
  TrackWriter(
      JsonLines out,
      Flows flows,
      int process,
      int firstOfGroup,
      int thread,
      ThreadTrace trace,
      Causes causes) {
    this.out = out;
    this.flows = flows;
    this.process = process;
    this.firstOfGroup = firstOfGroup;
    this.thread = thread;
    this.trace = trace;
    this.places = causes.places;
    this.arrows = causes.arrows;
    this.commands = causes.commands;
    this.messages = causes.messages;
  }

  void write() throws IOException {
    String name = trace.what() + " " + trace.name();
    if (!trace.isOfOthers()) {
      name(thread, name);
    }
    if (trace.isLoop()) {
      name(thread + 1, name + ": timers, I/O, other threads");
    } else if (trace.isOfOthers()) {
      name(thread + 1, name + ": timers, commands, other threads");
    }
    for (int i = 0; i < places.length; i++) {
      entry(i);
    }
    writeMark(Long.MAX_VALUE);
    writeHold();
  }

  private void name(int track, String name) throws IOException {
    out.event("M", process, track).with("name", "thread_name").args(Map.of("name", name)).end();
    out.event("M", process, track)
        .with("name", "thread_sort_index")
        .args(Map.of("sort_index", track))
        .end();
  }

  private void entry(int i) throws IOException {
    for (TraceKind kind : TraceKind.values()) {
      if (trace.is(i, kind)) {
        entry(i, kind);
      }
    }
  }

  private void entry(int i, TraceKind kind) throws IOException {
    long other = trace.entries().other(i);
    switch (kind) {
      case RUN, RUN_ON -> run(i);
      case SLEEP -> {
        long from = spanStart(i, spanEnd);
        span(from, places[i], "asleep", Map.of());
        spanEnd = places[i];
      }
      case WAKE -> own(i, "wakes ");
      case SPAWN -> {
        own(i, "spawns ");
        instant(i, other, "spawn");
      }
      case CANCEL -> {
        own(i, "cancels ");
        instant(i, other, "cancel");
      }
      case END -> {
        ends.put(trace.entries().who(i), how(i));
        instant(i, trace.entries().who(i), "end");
      }
      case STEAL -> {
        steals(i);
        stolen = i;
      }
      case MESSAGE -> sends(i);
      case RECEIVED -> received.add(i);
      case RESTART -> instant(i, trace.entries().who(i), "restart");
      case TIMER -> happens(i, "timer", "late_ns");
      case IO -> happens(i, "I/O", "ready");
      case COMMAND -> command(i, "b");
      case COMMAND_DONE -> command(i, "e");
    }
  }

  private String how(int i) {
    int code = trace.entries().code(i);
    if (!trace.isLoop()) {
      return trace.code(i).isEmpty() ? "ends" : trace.code(i);
    }
    return code == 0 ? "returns" : code == 1 ? "fails" : "is cancelled";
  }

  // ---- spans ----

  private long spanStart(int i, long notBefore) {
    return Math.min(Math.max(trace.entries().other(i), notBefore), places[i]);
  }

  private void run(int i) throws IOException {
    long who = trace.entries().who(i);
    Arrow arrow = arrows[i];
    long from = spanStart(i, arrow == null ? spanEnd : Math.max(spanEnd, arrow.at()));
    Map<String, Object> args = new LinkedHashMap<>();
    args.put("id", who);
    ThreadTrace.Name known = trace.names().get(who);
    if (known != null) {
      args.put("site", known.site());
    }
    if (arrow != null) {
      args.put("woken by", arrow.name());
    }
    String end = ends.remove(who);
    if (trace.isLoop() || end != null || trace.entries().code(i) != 0) {
      args.put("then", end == null ? waits(trace.code(i)) : end);
    }
    span(from, places[i], label(who), args);
    if (arrow != null && arrow.at() <= from) { // else another worker's clock was behind
      flows.add(Flows.WAKE, arrow.track(), arrow.at(), thread, from);
    }
    arrowsTo(who, from, places[i]);
    spanEnd = places[i];
  }

  // what a run has received, and from which worker it came
  private void arrowsTo(long who, long from, long to) {
    for (int i : received) {
      Message message = messages[i];
      // the sender writes its entry when the message is there, perhaps received already
      if (message != null
          && trace.entries().who(i) == who
          && message.at() <= to + LATEST_ENTRY_NANOS) { // else it is another one of that number
        long at = Math.clamp(Math.max(places[i], message.at()), from, to);
        flows.add(Flows.MESSAGE, message.track(), Math.min(message.at(), at), thread, at);
      }
    }
    received.clear();
    if (stolen != NONE && trace.entries().who(stolen) == who && places[stolen] <= from) {
      int victim = firstOfGroup + TraceJson.TRACKS * (int) trace.entries().other(stolen);
      flows.add(Flows.STEAL, victim, places[stolen], thread, from);
    }
    stolen = NONE;
  }

  private static String waits(String code) {
    return AS_THEY_ARE.contains(code) ? code : "waits for " + (code.isEmpty() ? "something" : code);
  }

  private void span(long from, long to, String name, Map<String, ?> args) throws IOException {
    flows.span(thread, from, to);
    JsonLines event =
        out.event("X", process, thread).at(from).lasting(to - from).with("name", name);
    if (!args.isEmpty()) {
      var _ = event.args(args);
    }
    event.end();
  }

  // the coroutine that holds the loop has not left it
  private void writeHold() throws IOException {
    Properties from = trace.isLoop() ? trace.whole() : trace.ring();
    String held = from.getProperty("heldBy");
    if (held != null) {
      long who = Long.parseLong(held);
      long since = Math.max(spanEnd, ThreadTrace.number(from, "heldSince"));
      String name = who == 0 ? "a coroutine back from the JDK, or the loop itself" : label(who);
      long end = Math.max(since, trace.ended());
      span(since, end, name, Map.of("then", "still runs"));
      arrowsTo(who, since, end);
    }
  }

  private String label(long who) {
    ThreadTrace.Name known = trace.names().get(who);
    String kind = trace.isLoop() ? "coroutine-" : "process-";
    return known == null || known.given().isEmpty() ? kind + who : known.given();
  }

  // ---- what causes something ----

  private int track(long who) {
    return trace.isOfOthers() || (who == 0 && trace.isLoop()) ? thread + 1 : thread;
  }

  private void own(int i, String verb) throws IOException {
    if (trace.isOwn(i)) {
      writeMark(places[i]);
      String code = trace.code(i);
      String what = verb + label(trace.entries().who(i));
      mark = new Mark(places[i], code.isEmpty() ? what : code, Map.of("what", what));
    }
  }

  private void writeMark(long next) throws IOException {
    Mark known = mark;
    if (known != null) {
      long width = Math.min(MARK_NANOS, next - known.at);
      flows.span(thread + 1, known.at, known.at + width);
      out.event("X", process, thread + 1)
          .at(known.at)
          .lasting(width)
          .with("name", known.name)
          .args(known.args)
          .end();
      mark = null;
    }
  }

  // from the step that issues it to the reply, on a track of its own
  private void command(int i, String phase) throws IOException {
    Command command = commands[i];
    if (command != null) {
      JsonLines event =
          out.event(phase, process, track(0))
              .at(places[i])
              .with("cat", "command")
              .with("id", "command-" + command.number())
              .with("name", command.name());
      if (phase.equals("b")) {
        long who = trace.entries().who(i);
        var _ = event.args(Map.of("who", label(who), "id", who, "tag", trace.entries().other(i)));
      } else {
        String code = trace.code(i);
        var _ = event.args(Map.of("reply", code.isEmpty() ? "completed" : code));
      }
      event.end();
    }
  }

  // what no coroutine does
  private void happens(int i, String name, String detail) throws IOException {
    out.event("i", process, track(0))
        .at(places[i])
        .with("s", "t")
        .with("name", name)
        .args(Map.of(detail, trace.entries().other(i)))
        .end();
  }

  private void steals(int i) throws IOException {
    out.event("i", process, thread)
        .at(places[i])
        .with("s", "t")
        .with("name", "steal")
        .args(
            Map.of(
                "first",
                label(trace.entries().who(i)),
                "tasks",
                trace.entries().code(i),
                "from worker",
                trace.entries().other(i)))
        .end();
  }

  // an arrow needs a slice; other threads have none
  private void sends(int i) throws IOException {
    long to = trace.entries().who(i);
    if (trace.isOfOthers() && trace.entries().message(i) != 0) {
      writeMark(places[i]);
      mark = new Mark(places[i], "message", Map.of("what", "sends to " + label(to)));
    }
    instant(i, trace.entries().sender(i), "message");
  }

  private void instant(int i, long by, String name) throws IOException {
    out.event("i", process, track(by))
        .at(places[i])
        .with("s", "t")
        .with("name", name)
        .args(Map.of("who", label(trace.entries().who(i)), "id", trace.entries().who(i)))
        .end();
  }
}
