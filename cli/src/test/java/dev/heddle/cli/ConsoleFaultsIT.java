// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How soon the page of `heddle console` shows what goes wrong in a program with 100,000
/// coroutines, and what it says of it.
@Tag("watch-4")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("InlineFormatString") // scripts have names
class ConsoleFaultsIT {
  private static final int SESSIONS = 100_000;
  private static final Pattern CHAIN = Pattern.compile("longest chain has (\\d+) coroutines");

  private final ConsolePage opened = new ConsolePage();

  @BeforeAll
  void openThePage(@TempDir Path profile) throws Exception {
    opened.open(profile, SESSIONS);
  }

  @AfterAll
  void endAll() throws Exception {
    opened.end();
  }

  @BeforeEach
  void beginWide() {
    opened.beginWide();
  }

  @AfterEach
  void nothingWasWrong() {
    opened.assertNothingWasWrong();
  }

  private static Predicate<String> matches(String pattern) {
    return Pattern.compile(pattern).asPredicate();
  }

  @Test
  void overview_hasTheFiguresOfLooks_asTheyAreKnown() {
    DevTools page = opened.show("overview");
    String _ = page.evaluate(ConsoleScripts.LOOKS_AFTER_A_PAUSE);
    String _ = page.evaluate("location.hash = '/1/overview'");
    page.await("[data-unit=known] [data-figure=awake]", matches("^25 %$"));
    page.await("[data-unit=known] [data-figure=switches]", matches("^100$"));
    page.await("[data-unit=known] [data-figure=p50]", matches("^8 µs$"));
    page.await("[data-unit=known] [data-figure=p99]", matches("^1.0 s$"));
    page.await("[data-unit=known] .cap", matches("longest delay of the run queue\\s*90 µs"));
    page.await("[data-unit=works] [data-figure=busy]", matches("^25 %$"));
    page.await("[data-unit=works] [data-figure=p50]", matches("^16 µs$"));
    page.await("[data-unit=works] .cap", matches("delay 99%\\s*4.1 ms"));
    assertThat(page.evaluate("document.querySelectorAll('.unit').length")).isEqualTo("2");
    String _ =
        page.evaluate(
            "import(location.pathname + 'feed.js').then(({programs}) => programs.delete(1))");
  }

  // ---- what is reported ----

  @Test
  void report_isThereOfEachKind() {
    DevTools page = opened.show("reports");
    page.await(".report[data-kind=stall]", text -> isOf(text, "loop depot", "'carrier'"));
    page.await(
        ".report[data-kind=deadlock]",
        text -> isOf(text, "runtime orders", "deadlock of 2 processes"));
    opened
        .show("holds")
        .await(".report[data-kind=stall]", text -> isOf(text, "loop depot", "ReentrantLock"));
  }

  private static boolean isOf(String report, String unit, String words) {
    return report.contains(unit) && report.contains(words);
  }

  /// The loop ends with its deadlock: nobody can ask it any more.
  @Test
  void deadlockInTheMaking_isAChainThatGrows_andThenAReport() throws Exception {
    DevTools page = opened.show("waits");
    page.awaitTrue(ConsoleScripts.CHOOSE_LOOP.formatted("dock"));
    int first = chain(page, 4);
    Path grow = opened.checkout().write("grow-dock", "");
    try {
      int _ = chain(page, first + 1);
    } finally {
      Files.delete(grow);
    }
    assertThat(page.await("#chain", "'ship-1'")).contains("the mutex 'quay'");
    Path _ = opened.checkout().write("close-dock", "");
    String report =
        opened
            .show("reports")
            .await(".report[data-kind=deadlock]", text -> text.contains("loop dock, ended"));
    assertThat(report).contains("Deadlock: no active coroutines", "'ship-1'", "the mutex 'quay'");
  }

  /// The length of the longest chain in the loop `dock`, when it has so many coroutines at least.
  private static int chain(DevTools page, int least) {
    int[] found = {0};
    String _ =
        page.await(
            "#chain",
            text -> {
              Matcher length = CHAIN.matcher(text);
              found[0] = length.find() ? Integer.parseInt(length.group(1)) : 0;
              return text.contains("'ship-1'") && found[0] >= least;
            });
    return found[0];
  }

  /// Two seconds, as a count of what comes once a second, so that it holds on any machine: of the
  /// looks that are drawn after a fault has begun by the clock of the program, the second one at
  /// the latest shows it. The first may have been taken before.
  @ParameterizedTest
  @CsvSource({
    "letters, processes, #alarms, archive has",
    "crash, processes, #alarms, desk has restarted",
    "hold, overview, [data-unit=till] .alarm, Held for",
    "crowd, coroutines, [aria-label=Sites] .row, Shop.crowd"
  })
  void fault_isShown_bySecondLookAfterIt(String fault, String view, String place, String words)
      throws Exception {
    DevTools page = opened.show(view);
    page.await("main", text -> !text.isEmpty());
    String _ = page.evaluate(ConsoleScripts.RECORD_DRAWN.formatted(opened.pid(), place, words));
    long began = opened.begin(fault, () -> page.awaitTrue("drawn.some(([, shown]) => shown)"));
    String without = "drawn.filter(([at, shown]) => at > %s && !shown).length".formatted(began);
    String all = page.evaluate("JSON.stringify(drawn)");
    assertThat(Integer.parseInt(page.evaluate(without))).as(all).isLessThanOrEqualTo(1);
  }

  /// Of what a look does not have itself: the second look at the latest has it asked, whatever time
  /// has passed. Looks that come while a question is open do not count: the page asks one thing at
  /// a time, and an answer may take longer than a look on a busy machine. `link` makes the chain
  /// longer that grows in the loop `shop`.
  @ParameterizedTest
  @CsvSource({
    "delay, holds, #hold-now, has held the loop \"counter\"",
    "stall, holds, .report[data-kind=stall], loop yard",
    "deadlock, reports, .report[data-kind=deadlock], boat",
    "link, waits, #chain, late"
  })
  void fault_isAskedFor_bySecondLookAfterIt(String fault, String view, String place, String words)
      throws Exception {
    DevTools page = opened.show("overview");
    String said = words.replace("\"", "'");
    String _ = page.evaluate(ConsoleScripts.ASK_BY_LOOKS_ONLY.formatted(opened.pid(), place, said));
    try {
      opened.show(view).awaitTrue("asked.length > 0");
      long began = opened.begin(fault, () -> page.awaitTrue("shownBy !== null"));
      String idle = "idle.filter((at) => at > %s && at < shownBy).length".formatted(began);
      String all = page.evaluate("JSON.stringify([idle, asked, shownBy])");
      assertThat(Integer.parseInt(page.evaluate(idle))).as(all).isLessThanOrEqualTo(1);
    } finally {
      DevTools _ = opened.show("overview"); // what it has asked by then rests for ever
      String _ = page.evaluate("askByTime()");
    }
  }
}
