// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.look.Look;
import dev.heddle.cli.look.Looker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the console has seen of a program: its last look, and ten minutes of a few counts for those
/// who open the page later. **Thread** any.
///
/// Its events: `look`, `history` (for a new page), `end` with `why`, and `silent` with `why` when
/// the program does not answer, which is empty when it answers again.
///
/// Numbers are written by `%s`: `%d` takes the digits of the user's language.
final class Recording implements Looker.Listener {
  private static final int POINTS = 600;
  // of a point, after the moment
  private static final List<String> OF_LOOPS =
      List.of("coroutines", "switches", "longestDelayMicros", "awakeNanos", "sampledNanos");
  private static final List<String> OF_RUNTIMES =
      List.of("processes", "executed", "restarts", "delay99Micros", "awakeNanos", "sampledNanos");

  private final long pid;
  private final String program;
  private final Consumer<String> events;
  private final Map<String, Points> points = new LinkedHashMap<>(); // by number
  private @Nullable String last; // the event of the last look
  private @Nullable String silence; // the event; null: it answers
  private @Nullable String end;
  private long endedAt; // nanoseconds

  /// The history of one loop or runtime.
  private record Points(List<String> columns, ArrayDeque<String> known) {
    Points(String kind) {
      this(kind.equals("loop") ? OF_LOOPS : OF_RUNTIMES, new ArrayDeque<>());
    }

    void add(Look.Seen seen) {
      StringJoiner point = new StringJoiner(",", "[", "]");
      point.add(Long.toString(System.currentTimeMillis()));
      columns.forEach(name -> point.add(Long.toString(Look.count(seen.own(), name))));
      known.add(point.toString());
      if (known.size() > POINTS) {
        known.remove();
      }
    }

    /// The names of a point's values.
    String names() {
      return Stream.concat(Stream.of("at"), columns.stream())
          .map(JsonText::quoted)
          .collect(Collectors.joining(","));
    }
  }

  Recording(long pid, String program, Consumer<String> events) {
    this.pid = pid;
    this.program = program;
    this.events = events;
  }

  @Override
  public void looked(Look look) {
    String event = event("look", written(look));
    synchronized (this) {
      last = event;
      Set<String> there = new HashSet<>();
      for (Look.Seen seen : look.seen()) {
        if (seen.kind().equals("ended")) {
          continue; // it has no figures
        }
        there.add(seen.number());
        points.computeIfAbsent(seen.number(), _ -> new Points(seen.kind())).add(seen);
      }
      points.keySet().retainAll(there);
    }
    events.accept(event);
  }

  @Override
  public void ended(AttachException why) {
    String event = event("end", because(String.valueOf(why.getMessage())));
    synchronized (this) {
      end = event;
      endedAt = System.nanoTime();
    }
    events.accept(event);
  }

  @Override
  public void silent(String why) {
    String event = event("silent", because(why));
    synchronized (this) {
      silence = why.isEmpty() ? null : event;
    }
    events.accept(event);
  }

  private String because(String why) {
    return "{\"pid\":%s,\"program\":%s,\"why\":%s}"
        .formatted(pid, JsonText.quoted(program), JsonText.quoted(why));
  }

  synchronized boolean hasEnded() {
    return end != null;
  }

  /// When it ended, by [System#nanoTime()].
  synchronized long endedAt() {
    return endedAt;
  }

  /// The events that bring a new page up to date.
  synchronized List<String> missed() {
    List<String> missed = new ArrayList<>();
    points.forEach((number, of) ->
        missed.add(
            event(
                "history",
                "{\"pid\":%s,\"number\":%s,\"columns\":[%s],\"points\":[%s]}"
                    .formatted(
                        pid, JsonText.quoted(number), of.names(), String.join(",", of.known)))));
    if (last != null) {
      missed.add(last);
    }
    if (silence != null) {
      missed.add(silence);
    }
    if (end != null) {
      missed.add(end);
    }
    return missed;
  }

  static String event(String name, String data) {
    return "event: " + name + "\ndata: " + data + "\n\n"; // JSON has no line breaks
  }

  private String written(Look look) {
    StringJoiner seen = new StringJoiner(",");
    for (Look.Seen each : look.seen()) {
      seen.add(
          "{\"number\":%s,\"kind\":%s,\"name\":%s,\"rows\":%s}"
              .formatted(
                  JsonText.quoted(each.number()),
                  JsonText.quoted(each.kind()),
                  JsonText.quoted(each.name()),
                  JsonText.rows(each.rows())));
    }
    return "{\"pid\":%s,\"program\":%s,\"at\":%s,\"seen\":[%s]}"
        .formatted(look.pid(), JsonText.quoted(look.program()), System.currentTimeMillis(), seen);
  }
}
