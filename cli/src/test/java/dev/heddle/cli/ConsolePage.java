// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The page of `heddle console` in a headless browser, of a program in which there is all that the
/// page shows, and of a smaller one that a test may end.
final class ConsolePage {
  private static final String UNPROVED = "the page of heddle console";
  private static final String VIEW = "document.querySelector('.tabs a[aria-current]').dataset.view";

  /// How many pixels of the page are beside the screen.
  static final String BESIDE =
      "[document.documentElement, document.querySelector('main')].reduce((sum, each) => sum +"
          + " each.scrollWidth - each.clientWidth, 0)";

  private final Checkout checkout = Checkout.ready();
  private @Nullable DevTools browser;
  private ConsoleProgram.@Nullable Running console;
  private Outcome.@Nullable Started program;
  private Outcome.@Nullable Started ending;

  /// Opens it; skips the test where there is no browser. What it has begun, [#end] ends, also when
  /// this fails.
  ///
  /// @param sessions so many coroutines of one site has the program
  void open(Path profile, int sessions) throws IOException, InterruptedException {
    DevTools started = DevTools.start(profile, UNPROVED);
    browser = started;
    program = ConsoleProgram.start(checkout, sessions);
    ending = ConsoleProgram.startOfACarelessParent(checkout, 10);
    console = ConsoleProgram.console(checkout, pid(), pidOfEnding());
    beginWide();
    started.open(console.url());
    started.await("#status", "live");
  }

  void end() throws IOException, InterruptedException {
    if (ending != null) {
      ProcessHandle.of(Long.parseLong(pidOfEnding())).ifPresent(ProcessHandle::destroyForcibly);
    }
    for (Outcome.Started each :
        Stream.of(program, ending, console == null ? null : console.console())
            .filter(Objects::nonNull)
            .toList()) {
      each.process().destroyForcibly().waitFor();
    }
    if (browser != null) {
      browser.close();
    }
  }

  Checkout checkout() {
    return checkout;
  }

  DevTools browser() {
    return Objects.requireNonNull(browser);
  }

  Outcome.Started program() {
    return Objects.requireNonNull(program);
  }

  /// The process id of the program.
  String pid() {
    return Long.toString(program().process().pid());
  }

  /// That of the other one, whose parent never asks for its exit code.
  String pidOfEnding() throws IOException {
    return Objects.requireNonNull(ending).read("out").replaceFirst("(?s).*pid (\\d+) end.*", "$1");
  }

  // ---- what tests do ----

  void beginWide() {
    browser().resize(1280, 800);
    browser().dark(false);
  }

  /// Neither an error in its console, nor a request to anybody but the command that serves it.
  void assertNothingWasWrong() {
    assertThat(browser().takeErrors()).isEmpty();
    String own = console == null ? "" : "http://127.0.0.1:" + console.port() + "/";
    assertThat(browser().requested()).allMatch(url -> url.startsWith(own), own);
  }

  /// What is shown of something that the program does.
  interface Shown {
    void await() throws Exception;
  }

  /// Has the program do something for as long as `shown` takes; the moment when it began.
  long begin(String fault, Shown shown) throws Exception {
    Path begin = checkout.write("fault-" + fault, "");
    try {
      program().awaitOutput("fault " + fault + " at ");
      shown.await();
    } finally {
      Files.delete(begin);
    }
    Matcher at = Pattern.compile("fault " + fault + " at (\\d+)\\.").matcher(program().read("out"));
    assertThat(at.find()).isTrue();
    return Long.parseLong(at.group(1));
  }

  DevTools show(String view) {
    String _ = browser().evaluate("location.hash = '/" + pid() + "/" + view + "'");
    browser().await(".tabs", _ -> browser().evaluate(VIEW).equals(view));
    return browser();
  }
}
