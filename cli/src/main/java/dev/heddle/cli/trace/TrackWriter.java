// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes what was recorded of one thread: a track of its runs and sleeps, one of what woke
/// coroutines from outside of all runs, and the arrows from those that woke to those that were
/// woken.
final class TrackWriter {
  /*
   * A run's end is its entry. Its beginning is a reading of the clock, which others may share: it is
   * not before the end of the run or sleep before, and not before what has woken the coroutine. So
   * a wake-up is always inside the run of the coroutine that caused it, and no arrow goes back.
   *
   * An arrow is written when both its ends are known: when the run of the woken one is written. It
   * begins in the run of the waker, or in a mark of the second track. What was woken and has not
   * run any more has no arrow.
   */
  private static final long MARK_NANOS = 100; // the width of a mark, where there is room
  private static final Set<String> AS_THEY_ARE = Set.of("yields", "ends", "waits in the JDK");
  private static final String WAKE = "wake";
  private static final String SPAWN = "spawn";

  /// An arrow that has begun.
  private record Arrow(int thread, long at, String name) {}

  /// What the loop itself has done.
  private record Mark(long at, String name, Map<String, Object> args) {}

  private final JsonLines out;
  private final Arrows arrows;
  private final int process;
  private final int thread;
  private final ThreadTrace trace;
  private final long[] places;
  private final Map<Long, Arrow> pending = new HashMap<>();
  private final Map<Long, String> ends = new HashMap<>();
  private long spanEnd; // of the last run or sleep
  private @Nullable Mark mark; // is written when the next is known

  /// Numbers arrows, which are of the whole file.
  static final class Arrows {
    private long last;

    long next() {
      return ++last;
    }

    long count() {
      return last;
    }
  }

  /// @param thread the number of its first track; the second has the next one
  TrackWriter(JsonLines out, Arrows arrows, int process, int thread, ThreadTrace trace) {
    this.out = out;
    this.arrows = arrows;
    this.process = process;
    this.thread = thread;
    this.trace = trace;
    this.places = Places.of(trace.entries(), trace.ended());
  }

  void write() throws IOException {
    name(thread, trace.what() + " " + trace.name());
    name(thread + 1, trace.what() + " " + trace.name() + ": timers, I/O, other threads");
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
      case WAKE -> {
        begin(i, other, WAKE, "wakes " + label(trace.entries().who(i)));
      }
      case SPAWN -> {
        begin(i, other, SPAWN, "spawns " + label(trace.entries().who(i)));
        instant(i, other, "spawn");
      }
      case CANCEL -> {
        own(i, other, "cancels " + label(trace.entries().who(i)));
        instant(i, other, "cancel");
      }
      case END -> {
        ends.put(trace.entries().who(i), how(trace.entries().code(i)));
        instant(i, trace.entries().who(i), "end");
      }
      case STEAL, MESSAGE, COMMAND, ANSWER -> {
        // of workers
      }
    }
  }

  private static String how(int code) {
    return code == 0 ? "returns" : code == 1 ? "fails" : "is cancelled";
  }

  // ---- spans ----

  private long spanStart(int i, long notBefore) {
    return Math.min(Math.max(trace.entries().other(i), notBefore), places[i]);
  }

  private void run(int i) throws IOException {
    long who = trace.entries().who(i);
    Arrow arrow = pending.remove(who);
    long from = spanStart(i, arrow == null ? spanEnd : Math.max(spanEnd, arrow.at));
    Map<String, Object> args = new LinkedHashMap<>();
    args.put("id", who);
    ThreadTrace.Name known = trace.names().get(who);
    if (known != null) {
      args.put("site", known.site());
    }
    if (arrow != null) {
      args.put("woken by", arrow.name);
    }
    String end = ends.remove(who);
    args.put("then", end == null ? waits(trace.code(i)) : end);
    span(from, places[i], label(who), args);
    if (arrow != null) {
      flow(arrow, from);
    }
    spanEnd = places[i];
  }

  private static String waits(String code) {
    return AS_THEY_ARE.contains(code) ? code : "waits for " + (code.isEmpty() ? "something" : code);
  }

  private void span(long from, long to, String name, Map<String, ?> args) throws IOException {
    JsonLines event =
        out.event("X", process, thread).at(from).lasting(to - from).with("name", name);
    if (!args.isEmpty()) {
      var _ = event.args(args);
    }
    event.end();
  }

  // the coroutine that holds the loop has not left it
  private void writeHold() throws IOException {
    String held = trace.whole().getProperty("heldBy");
    if (held != null) {
      long who = Long.parseLong(held);
      long from = Math.max(spanEnd, ThreadTrace.number(trace.whole(), "heldSince"));
      span(from, Math.max(from, trace.ended()), label(who), Map.of("then", "still runs"));
    }
  }

  private String label(long who) {
    if (who == 0) {
      return "the loop";
    }
    ThreadTrace.Name known = trace.names().get(who);
    return known == null || known.given().isEmpty() ? "coroutine-" + who : known.given();
  }

  // ---- what causes something ----

  private int track(long who) {
    return who == 0 ? thread + 1 : thread;
  }

  // an arrow begins at the first of the wake-ups before a run
  private void begin(int i, long by, String arrow, String what) throws IOException {
    own(i, by, what);
    String how = arrow.equals(WAKE) ? trace.code(i) : SPAWN;
    String name = how.isEmpty() ? arrow : how;
    pending.putIfAbsent(trace.entries().who(i), new Arrow(track(by), places[i], name));
  }

  private void own(int i, long by, String what) throws IOException {
    if (by == 0) {
      writeMark(places[i]);
      String code = trace.code(i);
      mark = new Mark(places[i], code.isEmpty() ? what : code, Map.of("what", what));
    }
  }

  private void writeMark(long next) throws IOException {
    Mark known = mark;
    if (known != null) {
      out.event("X", process, thread + 1)
          .at(known.at)
          .lasting(Math.min(MARK_NANOS, next - known.at))
          .with("name", known.name)
          .args(known.args)
          .end();
      mark = null;
    }
  }

  private void instant(int i, long by, String name) throws IOException {
    out.event("i", process, track(by))
        .at(places[i])
        .with("s", "t")
        .with("name", name)
        .args(Map.of("who", label(trace.entries().who(i)), "id", trace.entries().who(i)))
        .end();
  }

  private void flow(Arrow arrow, long to) throws IOException {
    long id = arrows.next();
    out.event("s", process, arrow.thread)
        .at(arrow.at)
        .with("cat", WAKE)
        .with("name", WAKE)
        .with("id", id)
        .end();
    out.event("f", process, thread)
        .at(to)
        .with("cat", WAKE)
        .with("name", WAKE)
        .with("id", id)
        .with("bp", "e")
        .end();
  }
}
