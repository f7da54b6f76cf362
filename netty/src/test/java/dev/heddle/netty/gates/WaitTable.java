// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import dev.heddle.netty.gates.WaitingPlaces.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// The committed table: each known place, the threads that come there, and why that does no harm.
///
/// @param rows in the table's order
record WaitTable(List<Row> rows) {
  private static final String FILE = "waits.txt";
  private static final String TRAMPOLINE = "trampoline";
  private static final Set<String> THREADS =
      Set.of("coroutine", "beside", "carrier-start", "carrier-end", TRAMPOLINE);

  /// A line.
  ///
  /// @param reason empty: none is given
  record Row(Place place, List<String> threads, String reason) {
    /// What is wrong with it by itself; empty: nothing.
    String problem() {
      if (!THREADS.containsAll(threads)) {
        return place + ": threads are of " + THREADS + ", not " + threads;
      }
      if (threads.contains(TRAMPOLINE) && reason.isEmpty()) {
        return place + ": say in the last column why it does not wait on the trampoline";
      }
      return "";
    }
  }

  static WaitTable read() {
    try (InputStream in = Objects.requireNonNull(WaitTable.class.getResourceAsStream(FILE), FILE)) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static WaitTable parse(String text) {
    List<Row> rows = new ArrayList<>();
    String room = "";
    for (String line : text.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).toList()) {
      if (line.startsWith("[")) {
        room = line.substring(1, line.length() - 1);
      } else {
        rows.add(row(room, line));
      }
    }
    return new WaitTable(rows);
  }

  private static Row row(String room, String line) {
    String[] cells = line.split(" [|] ", 4);
    if (cells.length < 3) {
      throw new IllegalArgumentException(
          FILE + ": 'Class#method | what | threads | why' is expected, not '" + line + "'");
    }
    Place place = new Place(room, cells[0], cells[1]);
    String reason = cells.length == 4 ? cells[3].strip() : "";
    return new Row(place, List.of(cells[2].strip().split(", ")), reason);
  }

  /// Whether a place that there is names the trampoline; true also of one that is not known, which
  /// [#problems] tells.
  boolean isOnTrampoline(Place place) {
    return rows.stream()
        .filter(row -> row.place().equals(place))
        .allMatch(row -> row.threads().contains(TRAMPOLINE));
  }

  /// What is wrong between the places that there are and the table, and what is to be done.
  List<String> problems(Set<Place> there) {
    List<String> problems = new ArrayList<>();
    List<Place> known = rows.stream().map(Row::place).toList();
    for (Place place : there) {
      if (!known.contains(place)) {
        problems.add(
            "%s may wait (%s), and %s does not say on which thread. If the loop's thread comes there between two ticks, move it: into a coroutine, to a thread beside, or to AsyncLog if it is a line for the log. Else add below [%s]: %s | THREADS"
                .formatted(place.method(), place.what(), FILE, place.room(), place.line()));
      }
    }
    for (Row row : rows) {
      if (!there.contains(row.place())) {
        problems.add(
            "%s says that %s may wait (%s), and it does not any more: remove the line below [%s]"
                .formatted(FILE, row.place().method(), row.place().what(), row.place().room()));
      }
      if (!row.problem().isEmpty()) {
        problems.add(FILE + ": " + row.problem());
      }
    }
    return problems;
  }
}
