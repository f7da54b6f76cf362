// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
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

/// What views of the page of `heddle console` show of a program that needs no crowd, and that each
/// of them has space on each screen.
@Tag("watch-4")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsoleViewsIT {
  private static final int SESSIONS = 1_000;

  /// What stands beside the element that it belongs to, over what is there.
  private static final String SPILLED =
      "[...document.querySelectorAll('body *')].filter(each => each.checkVisibility() &&"
          + " (each.clientWidth > 0 || each.matches('[role=columnheader]')) && each.scrollWidth >"
          + " each.clientWidth + 1 &&"
          + " getComputedStyle(each).overflowX === 'visible').map(each => each.outerHTML.slice(0,"
          + " 120) + ' has ' + each.scrollWidth + ' of ' + each.clientWidth).join(', ')";

  /// Labels of the graph that are wider than their boxes.
  private static final String OUT_OF_BOX =
      "[...document.querySelectorAll('.graphbox .node')].filter(node =>"
          + " [...node.querySelectorAll('text')].some(text => text.getBBox().x +"
          + " text.getBBox().width > node.querySelector('rect').getBBox().width)).map(node =>"
          + " node.textContent).join(', ')";

  private static final String WIDE =
      """
      (() => {
        const wide = document.createElement('div');
        Object.assign(wide, { id: 'wide', textContent: 'wide' });
        Object.assign(wide.style, { minWidth: '1900px', minHeight: '9px' });
        document.querySelector('main > *').append(wide);
      })()
      """;

  private record Screen(String name, int width, int height, boolean isDark) {}

  private static final List<Screen> SCREENS =
      List.of(
          new Screen("light", 1280, 800, false),
          new Screen("dark", 1280, 800, true),
          new Screen("phone-light", 390, 844, false),
          new Screen("phone", 390, 844, true));

  private final ConsolePage opened = new ConsolePage();
  private @Nullable Path trace; // of the program, written by the command

  @BeforeAll
  void openThePage(@TempDir Path profile) throws Exception {
    opened.open(profile, SESSIONS);
    Checkout checkout = opened.checkout();
    Path file = Files.createTempDirectory(checkout.root(), "trace").resolve("shop.json.gz");
    Outcome outcome =
        checkout.heddle("trace", opened.pid(), "--seconds", "1", "-o", file.toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    trace = file;
    if (!DevTools.wantsPictures()) { // names as wide as they can be
      long _ = opened.begin("strange", () -> {});
    }
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
  void coroutines_haveAccounts_bySite_andOfTheBusiest_whileTheyAreWanted() throws Exception {
    DevTools page = opened.show("coroutines");
    page.click("#use");
    long _ = opened.begin("compute", () -> assertAccounts(page));
    page.click("#scopes"); // instead
    page.await("[aria-label=Scopes] .row", "'kitchen'");
    page.await("#use-by-site", String::isEmpty);
    page.click("#use");
    page.click("#use");
    page.await("[aria-label=Sites] .row", matches("1,000\\s+waiting"));
    page.await("#use-by-site", String::isEmpty);
  }

  private static void assertAccounts(DevTools page) throws Exception {
    String time = "\\s+[\\d.]+ [µm]?s";
    page.await(
        "#use-by-site .row",
        matches(
            "\\d+\\.\\d %\\s+[1-9][\\d,]*" + time + time + "\\s+20\\s+Shop\\.\\S*shop")); // packers
    String busiest = "[aria-label=\"Busiest coroutines\"] .row";
    page.await(busiest, matches("(?s)[1-9]\\d*\\.\\d %[^%]*prices"));
    page.await(busiest, matches("(?s)[1-9]\\d*\\.\\d %[^%]*taxes"));
    page.await(busiest, matches("\\d+\\.\\d %[^%]*packer-"));
    page.picture("console-use");
    page.click("[aria-label=\"Busiest coroutines\"] .row");
    page.await("#drawer dl", text -> text.contains("busy") && text.contains("between"));
    page.await("#drawer pre", matches("at (?:dev\\.heddle|Shop)\\."));
    page.press("Escape");
  }

  /// The view Processes, which had waited for an answer, once showed -116 runs/s.
  @Test
  void rate_isOfTheLastLook_alsoForAViewThatHasWaited() {
    String rate =
        """
        import(location.pathname + 'feed.js').then(({ rate }) => {
          const look = (at, executed) => ({ at, seen: [{ number: '1', own: { executed } }] });
          const [before, last] = [look(2000, 20), look(3000, 30)];
          return [rate({ before, look: last }, look(1000, 10).seen[0], 'executed'),
            rate({ before: null, look: last }, last.seen[0], 'executed'),
            rate({ before: look(1000, 1), look: { at: 3000, seen: [] } }, last.seen[0], 'executed')].join();
        })
        """;
    assertThat(opened.show("overview").evaluate(rate)).isEqualTo("10,,");
  }

  /// What the page says of it, as the test's own reader counts.
  @Test
  void fileOfHeddleTrace_isShownWithEachSliceAndArrow() throws Exception {
    Path file = Objects.requireNonNull(trace);
    TraceFile read = TraceFile.read(file);
    read.assertWellFormed();
    assertThat(read.slices()).isPositive();
    assertThat(read.arrows()).isPositive();
    DevTools page = opened.show("trace");
    page.choose("#trace-file", file);
    String counted =
        String.format(
            Locale.ROOT,
            "%s: %,d slices of [\\d.,]+ [µm]?s, %,d arrows",
            Pattern.quote(file.getFileName().toString()),
            read.slices(),
            read.arrows());
    page.await("h2 small", matches("^" + counted));
    page.awaitTrue("document.querySelector('.timeline').dataset.slices > 0");
  }

  /// @param button pressed before, unless it is empty
  @ParameterizedTest
  @CsvSource({
    "overview, '', .figures",
    "coroutines, '', [aria-label=Coroutines] .row",
    "coroutines, #scopes, [aria-label=Scopes] .row",
    "coroutines, #use, #use-by-site .row",
    "waits, '', .graphbox .node",
    "processes, '', [aria-label=Processes] .row",
    "processes, #use, #use-by-type .row",
    "holds, '', .report",
    "trace, '', #slice",
    "reports, '', .report"
  })
  void view_hasNothingBesideTheScreen_norOverOther(String view, String button, String content)
      throws Exception {
    DevTools page = opened.show("trace"); // a view that was left forgets its buttons
    page.choose("#trace-file", Objects.requireNonNull(trace));
    page.await("#slice", text -> !text.isEmpty());
    opened.show(view);
    if (!button.isEmpty()) {
      page.click(button);
    }
    for (Screen screen : SCREENS) {
      page.resize(screen.width, screen.height);
      page.dark(screen.isDark);
      page.await(content, text -> !text.isEmpty());
      // a chart has its new width with the next look
      page.awaitValue(ConsolePage.BESIDE, "0");
      page.awaitValue(SPILLED, "");
      page.awaitValue(OUT_OF_BOX, "");
      page.picture("console-%s-%s%s".formatted(screen.name, view, button.replace('#', '-')));
      String _ = page.evaluate(WIDE);
      assertThat(page.evaluate(ConsolePage.BESIDE)).as("with a wide one").isNotEqualTo("0");
      assertThat(page.evaluate(SPILLED)).as("with a wide one").isNotEmpty();
      String _ = page.evaluate("document.getElementById('wide').remove()");
    }
  }
}
