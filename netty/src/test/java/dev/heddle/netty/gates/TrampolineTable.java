// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/// The committed table of what runs on the trampoline: where it begins, and where it goes over to a
/// coroutine or to another thread.
final class TrampolineTable {
  private static final String FILE = "trampoline.txt";

  /// A part of the table.
  enum Part {
    /// Called on the trampoline, or in a tick.
    ROOTS,
    /// What they are given runs on the trampoline.
    CARRIER_TASKS,
    /// What they are given runs in a coroutine or on another thread.
    HAND_OVERS,
    /// Steps, `Class#method > Class#method`, that are not taken on the trampoline.
    CUTS,
    /// They wait by an argument of a call that else does not: never reached.
    NEVER
  }

  private final Map<Part, List<Pattern>> rows = new EnumMap<>(Part.class);
  private final Set<Pattern> used = new HashSet<>();

  private TrampolineTable() {}

  static TrampolineTable read() {
    try (InputStream in =
        Objects.requireNonNull(TrampolineTable.class.getResourceAsStream(FILE), FILE)) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static TrampolineTable parse(String text) {
    var table = new TrampolineTable();
    Part part = Part.ROOTS;
    for (String line : text.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).toList()) {
      if (line.startsWith("[")) {
        String name = line.substring(1, line.length() - 1);
        part = Part.valueOf(name.toUpperCase(Locale.ROOT).replace(' ', '_'));
      } else {
        table.rows.computeIfAbsent(part, _ -> new ArrayList<>()).add(row(line));
      }
    }
    return table;
  }

  private static Pattern row(String line) {
    String[] cells = line.split(" [|] ", 2);
    if (cells.length < 2 || cells[1].isBlank()) {
      throw new IllegalArgumentException(
          FILE + ": 'Class#method | why' is expected, not '" + line + "'");
    }
    return Pattern.compile(cells[0].strip());
  }

  boolean isRoot(CallGraph.Method method) {
    return has(Part.ROOTS, method);
  }

  boolean isCarrierTask(CallGraph.Method taker) {
    return has(Part.CARRIER_TASKS, taker);
  }

  boolean isHandOver(CallGraph.Method taker) {
    return has(Part.HAND_OVERS, taker) || isCarrierTask(taker); // a carrier task is a root already
  }

  /// Whether what `from` leads to is not followed to `to`.
  boolean isCut(CallGraph.Method from, CallGraph.Method to) {
    return has(Part.CUTS, from.shortName() + " > " + to.shortName());
  }

  boolean isNever(CallGraph.Method method) {
    return has(Part.NEVER, method);
  }

  private boolean has(Part part, CallGraph.Method method) {
    return has(part, method.shortName());
  }

  private boolean has(Part part, String text) {
    List<Pattern> fits =
        rows.getOrDefault(part, List.of()).stream()
            .filter(row -> row.matcher(text).matches())
            .toList();
    used.addAll(fits);
    return !fits.isEmpty();
  }

  /// What is wrong with it, when all was asked: rows that fit nothing.
  List<String> problems() {
    return rows.values().stream()
        .flatMap(List::stream)
        .filter(row -> !used.contains(row))
        .map(row -> FILE + ": nothing fits '" + row + "': remove the line, or mend it")
        .toList();
  }
}
