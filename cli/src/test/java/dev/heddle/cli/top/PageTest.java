// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.cli.look.Look;
import dev.heddle.cli.look.Look.Seen;
import dev.heddle.cli.look.Target;
import dev.heddle.cli.top.Line.Tone;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What becomes of the rows of a feed.
@Tag("watch-2")
class PageTest {
  private static Properties row(String... pairs) {
    Properties row = new Properties();
    for (int i = 0; i < pairs.length; i += 2) {
      row.setProperty(pairs[i], pairs[i + 1]);
    }
    return row;
  }

  private static Properties site(String id, String count, String millis, String site) {
    return row(
        "row",
        "site",
        "id",
        id,
        "count",
        count,
        "waitedMillis",
        millis,
        "site",
        site,
        "state",
        "waiting",
        "on",
        "timer");
  }

  private static Look look(long seconds, String switches, Properties... more) {
    List<Properties> rows = new ArrayList<>();
    rows.add(row("row", "loop", "state", "busy", "switches", switches, "unread", "7"));
    rows.addAll(List.of(more));
    Seen loop = new Seen("3", "loop", "main", rows);
    return new Look(1_000_000_000 * seconds, LocalTime.NOON, 1, "Demo", List.of(loop));
  }

  private static List<String> texts(List<Line> lines) {
    return lines.stream().map(Line::text).toList();
  }

  private static List<String> sites(Look look, Order order, String filter) {
    return Page.of(look, null, order, filter).stream()
        .filter(line -> line.target() != null)
        .map(line -> line.text().replaceFirst(".* ", ""))
        .toList();
  }

  private static final Look THREE =
      look(0, "0", site("1", "5", "70", "B"), site("2", "9", "10", "C"), site("3", "1", "90", "A"));

  @Test
  void sites_areOrdered_asWanted() {
    assertThat(sites(THREE, Order.COUNT, "")).containsExactly("C", "B", "A");
    assertThat(sites(THREE, Order.OLDEST, "")).containsExactly("A", "B", "C");
    assertThat(sites(THREE, Order.SITE, "")).containsExactly("A", "B", "C");
  }

  @Test
  void filter_looksIntoEveryField_whateverTheCase() {
    assertThat(sites(THREE, Order.COUNT, "TIMER")).hasSize(3);
    assertThat(sites(THREE, Order.COUNT, "70")).containsExactly("B");
    assertThat(sites(THREE, Order.COUNT, "nothing")).isEmpty();
  }

  @Test
  void rows_leadToTheOldestOfTheirSite() {
    assertThat(Page.of(THREE, null, Order.OLDEST, ""))
        .extracting(Line::target)
        .containsSubsequence(new Target("3", 3), new Target("3", 1), new Target("3", 2));
  }

  @Test
  void rates_areThoseSinceTheLookBefore() {
    assertThat(texts(Page.of(look(0, "100"), null, Order.COUNT, "")).get(1)).contains("-");
    String line = texts(Page.of(look(4, "2100"), look(2, "100"), Order.COUNT, "")).get(1);
    assertThat(line).containsPattern(" 1,000 ");
  }

  @Test
  void whatIsNotReadYet_isSaid() {
    assertThat(texts(Page.of(THREE, null, Order.COUNT, "")))
        .contains("7 of 'main' have changed and are not read yet.");
  }

  /// Names are another program's: they must neither command the terminal nor shift a row.
  @Test
  void names_withControlCharacters_stayOnTheirLine() {
    Look hostile = look(0, "0", site("1", "5", "0", "a\n\033[2Jb"), site("2", "4", "0", "second"));
    List<Line> lines = Page.of(hostile, null, Order.COUNT, "");

    assertThat(texts(lines)).noneMatch(text -> text.chars().anyMatch(c -> c < ' '));
    assertThat(lines)
        .filteredOn(line -> line.text().contains("second"))
        .extracting(Line::target)
        .containsExactly(new Target("3", 2));
  }

  @Test
  void loopThatIsHeld_isAWarning() {
    Seen held =
        new Seen(
            "0",
            "loop",
            "main",
            List.of(row("row", "loop", "holder", "coroutine-2", "heldMillis", "2500")));
    Look look = new Look(0, LocalTime.NOON, 1, "Demo", List.of(held));

    assertThat(Page.of(look, null, Order.COUNT, ""))
        .filteredOn(line -> line.tone() == Tone.WARNING)
        .extracting(Line::text)
        .containsExactly("The loop 'main' has been held for 2.5 s by coroutine-2.");
  }

  /// It was one for as long as the program ran: a month later it looked as if it were of now.
  @ParameterizedTest
  @CsvSource({
    "240000, WARNING, ended 4 min 0 s ago",
    "2592000000, PLAIN, ended 30 d 0 h ago",
    ", PLAIN, has ended" // a program of an older version
  })
  void loopThatEndedWithADeadlock_isAWarning_forSomeMinutes_andNoLoop(
      @Nullable String ago, Tone tone, String when) {
    Properties row = row("row", "ended", "lastLoop", "dock", "lastReport", "Deadlock: no active");
    if (ago != null) {
      row.setProperty("lastAgoMillis", ago);
    }
    Seen ended = new Seen("4", "ended", "ended loops", List.of(row));
    Look look = new Look(0, LocalTime.NOON, 1, "Demo", List.of(ended));

    assertThat(Page.of(look, null, Order.COUNT, ""))
        .extracting(Line::tone, Line::text)
        .containsExactly(
            tuple(tone, "The loop 'dock' " + when + ". Deadlock: no active"),
            tuple(Tone.PLAIN, "Neither loops nor processes run now."));
  }

  @Test
  void accounts_areShares_ofTheTimeSinceThereAreSome() {
    List<Properties> rows =
        List.of(
            row("row", "accounts", "nanos", "2000000000"),
            row(
                "row",
                "account",
                "site",
                "Shop.java:7",
                "coroutines",
                "3",
                "runs",
                "1000",
                "busyNanos",
                "500000000",
                "longestNanos",
                "1500000",
                "waitedNanos",
                "4000000000"));
    List<String> lines = texts(Page.of(THREE, null, Order.COUNT, "", Map.of("3", rows)));
    assertThat(lines)
        .contains("Use of 'main', for 2.0 s")
        .anySatisfy(line ->
            assertThat(line.replaceAll(" +", " ").strip())
                .isEqualTo("25.0 % 1,000 1.5 ms 4.0 ms 3 Shop.java:7"));
    assertThat(texts(Page.of(THREE, null, Order.COUNT, "")))
        .noneMatch(line -> line.startsWith("Use of"));
  }

  @Test
  void accountsOfProcesses_areByType_andByProcess() {
    List<Properties> rows =
        List.of(
            row("row", "accounts", "nanos", "2000000000", "workers", "2"),
            use("row", "account", "type", "shop.Till", "processes", "3"),
            use("row", "process account", "type", "shop.Till", "pid", "{shop|0x1.7}"));
    Seen runtime = new Seen("4", "runtime", "shop", List.of(row("row", "runtime")));
    Look look = new Look(0, LocalTime.NOON, 1, "Demo", List.of(runtime));
    List<String> lines =
        texts(Page.of(look, null, Order.COUNT, "", Map.of("4", rows))).stream()
            .map(line -> line.replaceAll(" +", " ").strip())
            .toList();

    assertThat(lines)
        .contains(
            "Use of the 2 workers of 'shop', for 2.0 s",
            "25.0 % 1,000 2,000 1.5 ms 4.0 ms 3 shop.Till",
            "Busiest processes of 'shop'",
            "25.0 % 1,000 2,000 1.5 ms 4.0 ms shop.Till {shop|0x1.7}");
  }

  @Test
  void workersMailboxesCommandsAndSupervisors_haveRows_andWhatGrowsIsAWarning() {
    String process =
        "row mailbox process mailer pid {shop|0x1.7} state running mailbox 1200 growth ";
    Seen runtime =
        new Seen(
            "4",
            "runtime",
            "shop",
            List.of(
                row("row", "runtime"),
                row(
                    "row worker number 1 state awake executed 5000 stolen 3 parks 40 queued 2"
                        .split(" ")),
                row((process + "4").split(" ")),
                row((process + "-4").split(" ")),
                row(
                    "row command process sleeper pid {shop|0x1.8} waitsFor sleep waitedMillis 2500"
                        .split(" ")),
                row(
                    "row supervisor process desk pid {shop|0x1.9} restarts 30 newRestarts 2"
                        .split(" ")),
                row(
                    "row supervisor process till pid {shop|0x1.10} restarts 31 newRestarts 0"
                        .split(" "))));
    Look look = new Look(0, LocalTime.NOON, 1, "Demo", List.of(runtime));
    List<Line> lines = Page.of(look, null, Order.COUNT, "");

    assertThat(lines)
        .extracting(line -> line.text().replaceAll(" +", " ").strip())
        .containsSubsequence(
            "Workers of 'shop'",
            "1 awake 5,000 3 40 2",
            "Fullest mailboxes of 'shop'",
            "1,200 +4 running mailer {shop|0x1.7}",
            "1,200 -4 running mailer {shop|0x1.7}",
            "Slowest commands of 'shop'",
            "2.5 s sleep sleeper {shop|0x1.8}",
            "Supervisors of 'shop' that restart",
            "30 2 desk {shop|0x1.9}",
            "31 0 till {shop|0x1.10}");
    assertThat(lines)
        .filteredOn(line -> line.tone() == Tone.WARNING)
        .extracting(line -> line.text().replaceAll(" +", " ").strip())
        .containsExactly("1,200 +4 running mailer {shop|0x1.7}", "30 2 desk {shop|0x1.9}");
  }

  private static Properties use(String... pairs) {
    Properties row = row(pairs);
    row.setProperty("runs", "1000");
    row.setProperty("runSteps", "2000");
    row.setProperty("busyNanos", "500000000");
    row.setProperty("longestNanos", "1500000");
    row.setProperty("waitedNanos", "4000000000");
    return row;
  }
}
