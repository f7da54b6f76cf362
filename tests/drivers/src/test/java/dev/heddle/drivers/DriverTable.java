// SPDX-License-Identifier: Apache-2.0
package dev.heddle.drivers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the conformance suite has shown on which driver, as the page says it.
///
/// Runs behind the suite, whose outcomes it reads from the folders that `conformance.cells` names,
/// and is no part of any other run. Rows of drivers that do not work on this machine stay as they
/// are.
class DriverTable {
  private static final Path PAGE =
      Path.of(System.getProperty("heddle.root"), "docs", "reference", "driver-table.md");
  private static final String UPDATE =
      "./mvnw -pl core,netty,tests/drivers clean test -Dgates=off -Ddrivers.update=true";
  private static final List<String> COLUMNS =
      List.of("integrity", "end", "cancel", "deadline", "close under waiters");
  private static final List<String> HANDLES =
      List.of(
          "TCP",
          "listeners",
          "TLS",
          "UNIX",
          "UNIX_DATAGRAM",
          "ADOPTED_CHANNEL",
          "ADOPTED_NUMBER",
          "DESCRIPTOR_PASSING",
          "UDP",
          "PIPE",
          "NAMED_PIPE",
          "STDIO",
          "FILE",
          "TTY",
          "POLL",
          "RAW_POLL");
  private static final List<String> EVENTS =
      List.of(
          "timers",
          "signals",
          "file system",
          "host names",
          "processes",
          "threads",
          "commands",
          "triggers");

  /// Rows that no facility of a driver stands behind.
  private static final Map<String, String> SERVED =
      Map.of(
          "TLS",
          "composed: the JDK's engine, over TCP",
          "timers",
          "native: the next one bounds the driver's wait");

  private static final String ELSE = "composed: on another thread, which wakes the driver";

  private final Map<String, Map<String, Set<String>>> shown = new TreeMap<>(); // driver, handle
  private final Map<String, Map<String, String>> served = new TreeMap<>(); // driver, facility

  @Test
  void page_ofThisRun_isTheCommittedOne() throws IOException {
    for (String folder : System.getProperty("conformance.cells", "").split(",")) {
      read(Path.of(folder));
    }
    assertThat(shown).as("outcomes of the suite").containsKey("jdk");
    List<String> committed = Files.exists(PAGE) ? Files.readAllLines(PAGE) : List.of();
    String now = render(committed);
    if (Boolean.getBoolean("drivers.update")) {
      Files.writeString(PAGE, now);
    }
    assertThat(now)
        .as("%s is not what the suite has shown; write it with `%s`", PAGE, UPDATE)
        .isEqualTo(Files.exists(PAGE) ? Files.readString(PAGE) : "");
    assertThat(gaps()).as("cells without a test").isEmpty();
  }

  private void read(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.readAllLines(file).forEach(line -> take(line.split("\t")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("this runs behind the suite: " + UPDATE, e);
    }
  }

  private void take(String[] row) {
    if (row[0].equals("test")) {
      shown
          .computeIfAbsent(row[1], _ -> new TreeMap<>())
          .computeIfAbsent(row[2], _ -> new TreeSet<>())
          .add(row[3]);
    } else {
      String how = row[3].toLowerCase(Locale.ROOT) + ": " + row[4];
      served.computeIfAbsent(row[1], _ -> new TreeMap<>()).put(row[2], how);
    }
  }

  /// Each handle has an integrity, a cancel and a close-under-waiter test, each event the first
  /// two; but what a driver refuses has none.
  private List<String> gaps() {
    return shown.keySet().stream()
        .flatMap(driver -> rows().stream().flatMap(row -> gaps(driver, row)))
        .toList();
  }

  private Stream<String> gaps(String driver, String row) {
    if (how(driver, row).startsWith("refused")) {
      return Stream.empty();
    }
    return Stream.of("integrity", "cancel", "close under waiters")
        .limit(HANDLES.contains(row) ? 3 : 2)
        .filter(aspect -> !aspects(driver, row).contains(aspect))
        .map(aspect -> driver + ", " + row + ": " + aspect);
  }

  private static Collection<String> rows() {
    return Stream.concat(HANDLES.stream(), EVENTS.stream()).toList();
  }

  private Set<String> aspects(String driver, String row) {
    return shown.getOrDefault(driver, Map.of()).getOrDefault(row, Set.of());
  }

  private String how(String driver, String row) {
    String facility = row.equals("listeners") ? "TCP" : row;
    return served
        .getOrDefault(driver, Map.of())
        .getOrDefault(facility, SERVED.getOrDefault(row, ELSE));
  }

  // ---- the page ----

  private String render(List<String> committed) {
    StringBuilder page =
        new StringBuilder(
            """
            <!-- Generated by DriverTable from a run of the conformance suite: %s -->
            # What is proved on which driver

            A *yes* means that at least one test of the conformance suite has passed on that driver.
            Each handle has a test that all bytes arrive, one of cancellation, and one of closing while coroutines wait.
            Each event has the first two, because an event is not closed.
            The last column says what serves it, as the driver's `capabilities()` do: the system (*native*), or other parts of the
            runtime (*composed*).

            """
                .formatted(UPDATE));
    page.append("| handle or event | driver | ")
        .append(String.join(" | ", COLUMNS))
        .append(" | served |\n|---|---|")
        .append("---|".repeat(COLUMNS.size() + 1))
        .append('\n');
    for (String row : rows()) {
      Map<String, String> lines = new TreeMap<>();
      committed.stream()
          .filter(line -> line.startsWith("| " + row + " | "))
          .forEach(line -> lines.put(line.split(" \\| ")[1], line));
      shown.keySet().forEach(driver -> lines.put(driver, line(driver, row)));
      lines.values().forEach(line -> page.append(line).append('\n'));
    }
    return page.append("\n[Drivers](drivers.md)\n").toString();
  }

  private String line(String driver, String row) {
    StringBuilder line = new StringBuilder("| " + row + " | " + driver + " |");
    for (String column : COLUMNS) {
      line.append(aspects(driver, row).contains(column) ? " yes |" : "  |");
    }
    return line.append(' ').append(how(driver, row)).append(" |").toString();
  }
}
