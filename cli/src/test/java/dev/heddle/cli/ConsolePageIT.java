// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The page of `heddle console` in a browser, while a program with 100,000 coroutines runs in which
/// everything goes wrong that the page shows.
@Tag("watch-4")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("InlineFormatString") // scripts have names
class ConsolePageIT {
  private static final int SESSIONS = 100_000;
  private static final String TIMELINE = "document.querySelector('.timeline')";
  private static final String SEARCH = "document.querySelector('main input[type=search]')";
  private static final Pattern CHAIN = Pattern.compile("longest chain has (\\d+) coroutines");

  private final ConsolePage opened = new ConsolePage();
  private final Checkout checkout = opened.checkout();

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

  private DevTools browser() {
    return opened.browser();
  }

  private DevTools show(String view) {
    return opened.show(view);
  }

  private static Predicate<String> matches(String pattern) {
    return Pattern.compile(pattern).asPredicate();
  }

  @Test
  void overview_showsLoopsAndRuntimes_andWhoHoldsOne() throws Exception {
    DevTools page = show("overview");
    page.await("[data-unit=shop] [data-figure=coroutines]", matches("^100,\\d{3}$"));
    page.await("[data-unit=shop] [data-figure=awake]", "%");
    page.await("[data-unit=shop] [data-figure=handles]", matches("^1$"));
    page.await("[data-unit=shop] [data-figure=failures]", matches("^1$"));
    page.await("[data-unit=shop] [data-figure=p99]", matches("[µm]?s"));
    page.await("[data-unit=batch] .alarm", "by coroutine-3 'sums'");
    page.await("[data-unit=orders] .alarm", "restarted");
    page.await("[data-unit=orders] [data-figure=workers]", "2");
    String curves = "document.querySelectorAll('.unit .plot canvas').length >= 9";
    page.await(".unit .cap", _ -> page.evaluate(curves).equals("true"));
    if (DevTools.wantsPictures()) { // of the whole view, once its curves are a minute long
      String minute =
          "import(location.pathname + 'feed.js').then(({programs}) =>"
              + " [...programs.get(%s).history.values()].some(points => points.length > 60))";
      page.awaitTrue(minute.formatted(opened.pid()));
      page.await("[data-unit=batch] .alarm", "by coroutine-3 'sums'"); // it takes space
      String height = page.evaluate("document.querySelector('main').scrollHeight + 84");
      page.resize(1280, Integer.parseInt(height));
      page.await("[data-unit=batch] .alarm", "by coroutine-3 'sums'");
      page.pictures("console-overview");
    }
    page.dark(true);
    page.await(".unit .cap", _ -> page.evaluate(curves).equals("true"));
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
            "(() => { const f = document.activeElement; f.value = 'session-99999';"
                + " f.dispatchEvent(new Event('input', {bubbles: true})); f.blur(); })()");
    page.await("[aria-label=Coroutines] .row", text -> text.startsWith("100,001"));
    page.click("[aria-label=Coroutines] .row");
    page.await("#drawer pre", "at Shop.nap(Shop.java:");
    page.picture("console-coroutines");
    page.press("Escape");
    assertThat(page.evaluate("document.getElementById('drawer').hidden")).isEqualTo("true");
  }

  @Test
  void coroutines_areATreeOfScopes_withWhoOpenedThem() throws Exception {
    DevTools page = show("coroutines");
    page.click("#scopes");
    String shown = page.await("[aria-label=Scopes] .row", text -> text.contains("'kitchen'"));
    List<String> scopes =
        shown.lines().filter(line -> line.contains("scope")).map(String::strip).toList();
    assertThat(scopes.getFirst()).startsWith("▾ root scope");
    assertThat(scopes).anyMatch(line -> line.matches("▾ scope of coroutine-\\d+ 'kitchen'.*"));
    assertThat(scopes).anyMatch(line -> line.matches("▹ scope of coroutine-\\d+ 'waiter'.*"));
    assertThat(shown).contains("100,000 coroutines", "3 coroutines");
    page.picture("console-scopes");
    page.click("[aria-label=Scopes] .row:nth-child(1)");
    page.await("#drawer", text -> text.contains("members") && text.contains("100,0"));
    page.press("Escape");
    page.click("#scopes");
    page.await("[aria-label=Sites] .row", matches("100,000\\s+waiting"));
  }

  @Test
  void chain_thatGrows_isTheLongest_andACycleStandsOut() throws Exception {
    DevTools page = show("waits");
    page.await("#cycles", text -> text.contains("'credit'") && text.contains("'debit'"));
    int first = chain(page, 10);
    page.pictures("console-waits");
    Path grow = checkout.write("grow", "");
    try {
      chain(page, first + 1);
    } finally {
      Files.delete(grow); // other tests must not share a chain that grows
    }
    page.await("#chain", text -> text.contains("'auditor'") && text.contains("the mutex 'ledger'"));
    page.await(".graphbox .node.cyc", "credit");
    page.await(".graphbox .node.long", "auditor");
    page.await(".graphbox .node", "40 coroutines");
    page.await(".graphbox .node", "invoice"); // holds a lock of the JDK
    page.click(".graphbox .node.long.coroutine");
    page.await("#drawer pre", "waits for");
    page.press("Escape");
  }

  /// The lines have each waiting coroutine with what it waits for, and each thing with its holders.
  @ParameterizedTest
  @CsvSource({
    "c1 t1 c2 t2 c1 c3 t1, none, true", // a deadlock of two, for which a third one waits
    "c1 t1 c2 t2 c1, none, true",
    "c1 t1 c2 t2 c3 t3 c4 c4 t4 c3 c5 t1, none, true", // into a cycle in its midst, and on
    "c1 t1 c2 t2 c1 t1 c3, none, false", // another holder can let go
    "c1 t1 c2 t2 c1, c2, false", // a time limit of a member
    "c1 t1 c2 t2 c1 c3 t1, c3, true" // of one outside
  })
  void chain_intoACycle_saysOnlyWhatIsSo(String way, String limited, boolean closed) {
    DevTools page = show("waits");
    assertThat(page.evaluate(ConsoleScripts.WALK_CHAIN.formatted(way, limited)))
        .isEqualTo("true,true," + closed);
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
    page.pictures("console-processes");
    page.click("#alarms button");
    page.await("#drawer", text -> text.contains("mailbox") && text.contains("linked to"));
    page.await("#drawer pre", "Shop.lambda$stuck");
    page.press("Escape");
  }

  @Test
  void processes_haveAccounts_whileTheyAreWanted() throws Exception {
    DevTools page = show("processes");
    page.click("#use");
    page.await("#use-by-type .row", matches("(?m)^\\d+\\.\\d %"));
    page.await("[aria-label=Processes] .row", matches("\\d\\.\\d %"));
    page.click("#use");
    page.await("[aria-label=Processes] .row", text -> !text.contains("%"));
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
  void trace_isRecordedAndDrawn_withWhoWokeTheChosenRun() throws Exception {
    DevTools page = show("trace");
    String _ = page.evaluate("document.querySelector('.seconds input').value = '1'");
    page.click("#record");
    page.await("h2 small", matches("\\(\\d+\\) at .*: [\\d,]+ slices of .*, [\\d,]+ arrows"));
    page.await("h2", _ -> page.evaluate(TIMELINE + ".dataset.slices > 0").equals("true"));
    String _ = page.evaluate(SEARCH + ".value = 'packer'");
    page.await(
        ".slice",
        text -> {
          // the first runs were woken before the recording began
          String _ = page.evaluate(SEARCH + ".focus()");
          page.press("Enter");
          return text.startsWith("packer-") && text.contains("who woke it");
        });
    String chosen = page.await("#slice", text -> text.contains("who woke it"));
    assertThat(chosen).contains("waits for", "woken by");
    String _ = page.evaluate(TIMELINE + ".focus()");
    page.press("Enter"); // the whole run
    page.press("-");
    page.pictures("console-trace");
    page.click("#woken-by button");
    page.await("#slice", text -> text.contains("whom it woke") && !text.equals(chosen));
  }

  private static double inSight(DevTools page) {
    String micros =
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>"
            + " done(%s.dataset.micros))))";
    return Double.parseDouble(page.evaluate(micros.formatted(TIMELINE)));
  }

  @Test
  void trace_ofAFile_isZoomedByKeysAndWheel() throws Exception {
    DevTools page = show("trace");
    page.openFile(
        "#trace-file",
        "two.json.gz",
        """
        {'traceEvents': [
          {'ph': 'M', 'pid': 7, 'tid': 1, 'name': 'thread_name', 'args': {'name': 'loop main'}},
          {'ph': 'X', 'pid': 7, 'tid': 1, 'ts': 1000, 'dur': 40, 'name': 'waker', 'args': {'then': 'returns'}},
          {'ph': 's', 'pid': 7, 'tid': 1, 'ts': 1020, 'id': 1, 'name': 'wake'},
          {'ph': 'X', 'pid': 7, 'tid': 1, 'ts': 1100, 'dur': 300, 'name': '<b>woken</b>', 'args': {'woken by': 'channel'}},
          {'ph': 'f', 'pid': 7, 'tid': 1, 'ts': 1100, 'id': 1, 'bp': 'e', 'name': 'wake'}]}\
        """);
    page.await("h2 small", "two.json.gz: 2 slices of 400 µs, 1 arrow");
    assertThat(inSight(page)).isEqualTo(400);
    String _ = page.evaluate(TIMELINE + ".focus()");
    page.press("]");
    page.press("]");
    assertThat(page.await("#slice", "woken by"))
        .contains("<b>woken</b>", "waker", "100 µs, for 300 µs");
    page.press("+");
    double zoomed = inSight(page);
    assertThat(zoomed).isLessThan(400);
    String _ =
        page.evaluate(
            TIMELINE + ".dispatchEvent(new WheelEvent('wheel', {deltaY: -250, clientX: 600}))");
    assertThat(inSight(page)).isLessThan(zoomed);
    page.press("0");
    assertThat(inSight(page)).isEqualTo(400);
    page.openFile("#trace-file", "none.json", "{'a': 1}");
    page.await("#trace-message", "none.json cannot be shown: This is no trace");
  }

  @Test
  void report_isCopiedAsText() throws Exception {
    DevTools page = show("reports");
    page.await(".report pre", "has held the loop 'batch'");
    String failure = page.await(".report[data-kind=failure]", "no such order");
    assertThat(failure).contains("loop shop", "'refund'", "\tat Shop.");
    // a headless browser has no clipboard
    String _ = page.evaluate("navigator.clipboard.writeText = async text => { copied = text; }");
    page.click(".report[data-kind=failure] .button");
    assertThat(page.evaluate("copied")).contains("no such order", "\tat Shop.");
    page.click(".report[data-kind=hold] .button");
    assertThat(page.evaluate("copied")).contains("has held the loop '");
    page.picture("console-reports");
  }

  @Test
  void viewsThatWereLeft_areForgotten() {
    String _ = afterVisits(2);
    DevTools.Kept before = browser().kept();
    String _ = afterVisits(6);
    DevTools.Kept after = browser().kept();
    assertThat(after.nodes() - before.nodes()).as("nodes").isLessThan(500);
    assertThat(after.listeners() - before.listeners()).as("listeners").isLessThan(100);
  }

  private String afterVisits(int visits) {
    for (int i = 0; i < visits; i++) {
      show("coroutines").await("[aria-label=Coroutines] .row", text -> !text.isEmpty());
      show("processes").await("[aria-label=Processes] .row", text -> !text.isEmpty());
      DevTools _ = show("trace");
    }
    return show("overview")
        .await("[data-unit=shop] [data-figure=coroutines]", text -> !text.isEmpty());
  }

  @Test
  void looks_thatWereMany_areKeptForTenMinutes() {
    String looks =
        """
        (async () => {
          const { looked, programs } = await import(location.pathname + 'feed.js');
          for (let i = 0; i < 3000; i++) {
            looked({ pid: 1, program: '', at: i * 1000, seen: [{ kind: 'loop', number: '1', name: 'a', rows: [{}] }] });
          }
          const points = programs.get(1).history.get('1');
          programs.delete(1);
          return [points.length, points[0].at];
        })()
        """;
    assertThat(show("overview").evaluate(looks)).isEqualTo("600,2400000");
  }

  /// A page that has looked for ten minutes has all that it keeps.
  @Test
  void memory_isFlat_onceTenMinutesAreKept() {
    DevTools page = show("overview");
    page.await("[data-unit=shop] [data-figure=coroutines]", text -> !text.isEmpty());
    looks(page, 700);
    String _ = afterVisits(1);
    long before = page.heap();
    looks(page, 2_000);
    String _ = afterVisits(4);
    long after = page.heap();
    forget();
    assertThat(after - before).as("bytes more than " + before).isLessThan(3 << 20);
  }

  /// All that it knows, which is of the future by now; the next look tells it anew.
  private void forget() {
    String _ =
        browser()
            .evaluate(
                "(async () => (await import(location.pathname + 'feed.js')).programs.clear())()");
  }

  /// The last look at each program again and again, a second apart.
  private static void looks(DevTools page, int times) {
    String _ = page.evaluate(ConsoleScripts.LOOK_AGAIN.formatted(times));
  }

  /// The same in real time.
  @Test
  @Tag("full")
  @Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void memory_isFlat_forTenMinutes() {
    String _ = afterVisits(3);
    looks(browser(), 700);
    long before = browser().heap();
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
    while (System.nanoTime() - end < 0) {
      String _ = afterVisits(1);
      String _ = browser().evaluate("new Promise(done => setTimeout(done, 10000))");
    }
    long after = browser().heap();
    forget();
    assertThat(after - before).as("bytes more than " + before).isLessThan(6 << 20);
  }

  @Test
  void pageInTheBackground_watchesNothing_andGoesOnInSight() {
    DevTools page = show("overview");
    hide(page, true);
    page.await("#status", "paused");
    hide(page, false);
    page.await("#status", "live");
  }

  private static void hide(DevTools page, boolean on) {
    String set = "Object.defineProperty(document, 'hidden', {configurable: true, value: %b})";
    String _ = page.evaluate(set.formatted(on));
    String _ = page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  }

  @Test
  void addressOfAProgramThatIsNotThere_leadsToOneThatIs() {
    DevTools page = show("overview");
    String _ = page.evaluate("location.hash = '/1/coroutines'");
    page.await("[aria-label=Sites] .row", text -> !text.isEmpty());
    assertThat(page.evaluate("location.hash")).matches("#/\\d{2,}/coroutines");
  }

  /// Each text of the program that a view shows: names, kinds, reports.
  @Test
  @Order(Integer.MAX_VALUE) // no picture has these names
  void textOfTheProgram_isTextAndNeverMarkup() throws Exception {
    long _ = opened.begin("strange", () -> {});
    String image = "<img src=x onerror=alert(";
    DevTools page = show("coroutines");
    filter(page, "onerror");
    page.await("[aria-label=Coroutines] .row", image + "1)>");
    filter(page, "script");
    page.await("[aria-label=Coroutines] .row", "'\"?</script>");
    filter(page, "x".repeat(9_999));
    page.click("[aria-label=Coroutines] .row");
    page.await("#drawer h2", matches("x{10000}"));
    assertThat(page.evaluate(ConsolePage.BESIDE)).isEqualTo("0");
    show("waits").await(".graphbox .node", "the mutex '" + image.substring(0, 15));
    filter(show("processes"), "onerror");
    page.await("[aria-label=Processes] .row", image + "3)>");
    show("reports").await(".report[data-kind=failure]", "no such customer " + image + "4)>");
    assertThat(page.evaluate("document.querySelectorAll('main img, aside img').length"))
        .isEqualTo("0");
  }

  private static void filter(DevTools page, String words) {
    String type =
        "(() => { const f = document.querySelector('main input[type=search]'); f.value = '%s';"
            + " f.dispatchEvent(new Event('input')); })()";
    String _ = page.evaluate(type.formatted(words));
  }

  @Test
  void keys_leadToViews_andHelp() {
    DevTools page = show("overview");
    page.press("4");
    page.await(".tabs a[aria-current]", "Processes");
    page.press("?");
    page.await("#help", "select a row");
    page.press("2"); // behind it nothing happens
    assertThat(page.evaluate("document.querySelector('.tabs a[aria-current]').dataset.view"))
        .isEqualTo("processes");
    String _ = page.evaluate("document.getElementById('help').close()");
    page.press("1");
    page.await(".tabs a[aria-current]", "Overview");
  }

  /// The header that was pressed was replaced, and the focus lost.
  @Test
  void table_isSortedAndReadByKeys() {
    DevTools page = show("processes");
    page.await("[aria-label=Processes] .row", text -> !text.isEmpty());
    String sort =
        "[...document.querySelectorAll('[aria-label=Processes] .head button')].find(b =>"
            + " b.innerText === 'Mailbox')";
    String _ = page.evaluate("(() => { const b = " + sort + "; b.focus(); b.click(); })()");
    assertThat(page.evaluate("document.activeElement.innerText")).isEqualTo("Mailbox");
    page.await("[aria-label=Processes] .row", text -> text.startsWith("mailer"));
    String _ = page.evaluate("document.querySelector('[aria-label=Processes] .scroll').focus()");
    page.press("ArrowDown");
    page.press("ArrowDown");
    String chosen =
        "(() => { const row ="
            + " document.getElementById(document.activeElement.getAttribute('aria-activedescendant'));"
            + " return [row.getAttribute('aria-selected'), row.getAttribute('aria-rowindex')];"
            + " })()";
    assertThat(page.evaluate(chosen)).isEqualTo("true,2");
  }

  @Test
  @Tag("watch-6")
  void programThatEnds_isSaidToHave_withItsExitCode() throws Exception {
    String pid = opened.pidOfEnding();
    String _ = browser().evaluate("location.hash = '/" + pid + "/overview'");
    browser().await("[data-unit=shop] [data-figure=coroutines]", text -> !text.isEmpty());
    boolean isKept = Files.exists(Path.of("/proc", pid, "stat")); // while its parent has not asked
    Path _ = checkout.write("halt-" + pid, "");
    String how = isKept ? " with exit code 4" : "";
    browser().await("main", matches("Process " + pid + " \\(Shop.java\\) ended at [0-9:]+" + how));
    browser().await("#status", "ended");
  }
}
