// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.text.Printable;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Answers the page's questions about one loop or runtime: `api/PID/NUMBER/QUESTION`, where a
/// question may be about something, `?`; and `trace/PID/SECONDS`, which records.
final class Answers {
  private static final Pattern PATH =
      Pattern.compile("api/(\\d{1,18})/(\\d{1,9})/([a-z]{1,20})(?:\\?([\\w.:{}|%-]{1,300}))?");
  private static final Pattern TRACE = Pattern.compile("trace/(\\d{1,18})/(\\d{1,2})");
  private static final Set<String> DETAILS =
      Set.of("coroutines", "scopes", "waits", "processes", "reports", "accounts");
  private static final Duration ACCOUNTS = Duration.ofSeconds(5); // a page asks each 2 s
  private static final Pattern PROCESS = Pattern.compile("\\{[^\\s{}]{1,200}\\}");

  private final Programs programs;
  private final Traces traces = new Traces();
  private final WantedAccounts wanted;

  Answers(Programs programs) {
    this(
        programs,
        CompletableFuture.delayedExecutor(
            ACCOUNTS.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));
  }

  /// @param later as of [WantedAccounts]
  Answers(Programs programs, Executor later) {
    this.programs = programs;
    this.wanted = new WantedAccounts(programs, later);
  }

  /// The answer, as JSON; null when there is no such question, or nothing of that number.
  @Nullable CompletableFuture<String> to(String path) {
    Matcher recorded = TRACE.matcher(path);
    if (recorded.matches()) {
      return trace(Long.parseLong(recorded.group(1)), Integer.parseInt(recorded.group(2)));
    }
    Matcher asked = PATH.matcher(path);
    if (!asked.matches()) {
      return null;
    }
    long pid = Long.parseLong(asked.group(1));
    String number = asked.group(2);
    String question = asked.group(3);
    String about = asked.group(4) == null ? "" : decoded(asked.group(4));
    if (question.equals("stack") && about.matches("\\d{1,18}")) {
      long coroutine = Long.parseLong(about);
      return programs.ask(
          pid,
          watch ->
              "{\"text\":%s}"
                  .formatted(JsonText.quoted(Printable.of(watch.stack(number, coroutine)))));
    }
    if (question.equals("process") && PROCESS.matcher(about).matches()) {
      return details(pid, number, "process " + about);
    }
    if (!DETAILS.contains(question) || !about.isEmpty()) {
      return null;
    }
    CompletableFuture<String> answer = details(pid, number, question);
    if (answer != null && question.equals("accounts")) {
      wanted.asked(pid, number, answer);
    }
    return answer;
  }

  private @Nullable CompletableFuture<String> trace(long pid, int seconds) {
    boolean isThere = programs.has(pid) && seconds >= 1 && seconds <= Traces.MAX_SECONDS;
    return isThere ? traces.record(pid, seconds) : null;
  }

  private @Nullable CompletableFuture<String> details(long pid, String number, String question) {
    return programs.ask(pid, watch -> JsonText.rows(watch.detail(number, question)));
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return "";
    }
  }
}
