// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

/// The page of `heddle console` in a browser, while a program with 100,000 coroutines runs in which
/// everything goes wrong that the page shows.
@Tag("watch-4")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsolePageIT {
  private static final int SESSIONS = 100_000;
  private static final String UNPROVED = "the page of heddle console";
  private static final Pattern CHAIN = Pattern.compile("longest chain has (\\d+) coroutines");

  private final Checkout checkout = Checkout.ready();
  private @Nullable DevTools browser;
  private ConsoleProgram.@Nullable Running console;
  private Outcome.@Nullable Started program;
  private Outcome.@Nullable Started ending;

  @BeforeAll
  void openThePage(@TempDir Path profile) throws Exception {
    browser = DevTools.start(profile, UNPROVED);
    program = ConsoleProgram.start(checkout, SESSIONS);
    ending = ConsoleProgram.start(checkout, 10);
    console = ConsoleProgram.console(checkout, pid(program), pid(ending));
    browser.resize(1280, 800);
    browser.dark(false);
    browser.open(console.url());
    browser.await("#status", "live");
  }

  @AfterAll
  void endAll() throws Exception {
    for (Outcome.Started each : started()) {
      each.process().destroyForcibly().waitFor();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private List<Outcome.Started> started() {
    return Stream.of(program, ending, console == null ? null : console.console())
        .filter(Objects::nonNull)
        .toList();
  }

  @BeforeEach
  void beginWide() {
    browser().resize(1280, 800);
    browser().dark(false);
  }

  @AfterEach
  void nothingWasWrong() {
    assertThat(browser().errors()).isEmpty();
    String own = console == null ? "" : "http://127.0.0.1:" + console.port() + "/";
    assertThat(browser().requested()).allMatch(url -> url.startsWith(own), own);
  }

  private DevTools browser() {
    return Objects.requireNonNull(browser);
  }

  private static String pid(Outcome.Started started) {
    return Long.toString(started.process().pid());
  }

  private DevTools show(String view) {
    String pid = pid(Objects.requireNonNull(program));
    String _ = browser().evaluate("location.hash = '/" + pid + "/" + view + "'");
    browser().await(".tabs a[aria-current]", text -> !text.isEmpty());
    return browser();
  }

  private static Predicate<String> matches(String pattern) {
    return Pattern.compile(pattern).asPredicate();
  }

  @Test
  void overview_showsLoopsAndRuntimes_andWhoHoldsOne() throws Exception {
    DevTools page = show("overview");
    page.await("[data-unit=shop] [data-figure=coroutines]", matches("^100,\\d{3}$"));
    page.await("[data-unit=shop] [data-figure=awake]", "%");
    page.await("[data-unit=shop] [data-figure=p99]", matches("[µm]?s"));
    page.await("[data-unit=batch] .alarm", "by coroutine-3 'sums'");
    page.await("[data-unit=orders] .alarm", "restarted");
    page.await("[data-unit=orders] [data-figure=workers]", "2");
    String curves = "document.querySelectorAll('.unit .plot canvas').length === 9";
    page.await(".unit .cap", _ -> page.evaluate(curves).equals("true"));
    page.picture("console-overview");
    page.dark(true);
    page.await(".unit .cap", _ -> page.evaluate(curves).equals("true"));
    page.picture("console-overview-dark");
  }

  @Test
  void coroutines_areListedBySite_thenEach_thenTheirStacks() throws Exception {
    DevTools page = show("coroutines");
    page.await("[aria-label=Sites] .row", matches("100,000\\s+waiting"));
    String all =
        "document.querySelector('[aria-label=Coroutines]').getAttribute('aria-rowcount') > 100000";
    page.await("h2", _ -> page.evaluate(all).equals("true"));
    String lines =
        page.evaluate("document.querySelectorAll('[aria-label=Coroutines] .row').length");
    assertThat(Integer.parseInt(lines)).as("rows that exist").isLessThan(100);

    page.press("/");
    String _ =
        page.evaluate(
            "(() => { const f = document.activeElement; f.value = 'session-99999'; f.dispatchEvent(new Event('input', {bubbles: true})); f.blur(); })()");
    page.await("[aria-label=Coroutines] .row", text -> text.startsWith("100,001"));
    page.click("[aria-label=Coroutines] .row");
    page.await("#drawer pre", "at Shop.nap(Shop.java:");
    page.picture("console-coroutines");
    page.press("Escape");
    assertThat(page.evaluate("document.getElementById('drawer').hidden")).isEqualTo("true");
  }

  @Test
  void chain_thatGrows_isTheLongest_andACycleStandsOut() throws Exception {
    DevTools page = show("waits");
    page.await("#cycles", text -> text.contains("'credit'") && text.contains("'debit'"));
    int first = chain(page, 10);
    page.picture("console-waits");
    Path grow = checkout.write("grow", "");
    chain(page, first + 1);
    Files.delete(grow);
    page.await("#chain", text -> text.contains("'auditor'") && text.contains("the mutex 'ledger'"));
    page.await(".graphbox .node.cyc", "credit");
    page.await(".graphbox .node.long", "auditor");
    page.await(".graphbox .node", "40 coroutines");
    page.await(".graphbox .node", "invoice"); // holds a lock of the JDK
    page.click(".graphbox .node.long.coroutine");
    page.await("#drawer pre", "waits for");
    page.press("Escape");
  }

  private static int chain(DevTools page, int least) {
    String shown =
        page.await(
            "#chain",
            text -> {
              Matcher length = CHAIN.matcher(text);
              return length.find() && Integer.parseInt(length.group(1)) >= least;
            });
    Matcher length = CHAIN.matcher(shown);
    assertThat(length.find()).isTrue();
    return Integer.parseInt(length.group(1));
  }

  @Test
  void processes_areATree_withRestartsAndMailboxes() throws Exception {
    DevTools page = show("processes");
    page.await(
        "#alarms", text -> text.contains("mailer has") && text.contains("restarted children"));
    page.await(
        "[aria-label=Processes] .row",
        text -> text.contains("shop · Supervisor") && text.contains("· CoroutineProcess"));
    page.await("[aria-label=Workers] .row", matches("(?m)^1\\s"));
    page.picture("console-processes");
    page.click("#alarms button");
    page.await("#drawer", text -> text.contains("mailbox") && text.contains("linked to"));
    page.await("#drawer pre", "Shop.lambda$stuck");
    page.press("Escape");
  }

  @Test
  void hold_isShownWhileItLasts_withWhereItIs() throws Exception {
    DevTools page = show("holds");
    page.await("#hold-now .alarm", "has held the loop 'batch'");
    page.await(".flame .frame", "Shop.sums (Shop.java:");
    page.await(".report[data-kind=hold] pre", "at Shop.");
    page.picture("console-holds");
  }

  @Test
  void report_isCopiedAsText() throws Exception {
    DevTools page = show("reports");
    page.await(".report pre", "has held the loop 'batch'");
    // a headless browser has no clipboard
    String _ = page.evaluate("navigator.clipboard.writeText = async text => { copied = text; }");
    page.click(".report .button");
    assertThat(page.evaluate("copied")).contains("has held the loop 'batch'");
    page.picture("console-reports");
  }

  @ParameterizedTest
  @CsvSource({
    "overview, .figures",
    "coroutines, [aria-label=Coroutines] .row",
    "waits, .graphbox .node",
    "processes, [aria-label=Processes] .row",
    "holds, .report",
    "reports, .report"
  })
  void phone_hasNothingBesideTheScreen(String view, String content) throws Exception {
    browser().resize(390, 844);
    browser().dark(true);
    DevTools page = show(view);
    page.await(content, text -> !text.isEmpty());
    String beside = "document.documentElement.scrollWidth - innerWidth";
    assertThat(page.evaluate(beside)).isEqualTo("0");
    page.picture("console-phone-" + view);
  }

  @Test
  void keys_leadToViews_andHelp() {
    DevTools page = show("overview");
    page.press("4");
    page.await(".tabs a[aria-current]", "Processes");
    page.press("?");
    page.await("#help", "select a row");
    String _ = page.evaluate("document.getElementById('help').close()");
    page.press("1");
    page.await(".tabs a[aria-current]", "Overview");
  }

  @Test
  @Tag("watch-6")
  void programThatEnds_isSaidToHave() throws Exception {
    Outcome.Started child = Objects.requireNonNull(ending);
    String pid = pid(child);
    String _ = browser().evaluate("location.hash = '/" + pid + "/overview'");
    browser().await("[data-unit=shop] [data-figure=coroutines]", text -> !text.isEmpty());
    child.process().destroyForcibly().waitFor();
    browser().await("main", matches("Process " + pid + " \\(Shop.java\\) ended at [0-9:]+"));
    browser().await("#status", "ended");
    assertThat(Files.exists(Path.of("/proc", pid))).isFalse();
  }
}
