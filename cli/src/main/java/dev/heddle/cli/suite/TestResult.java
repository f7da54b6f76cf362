// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// One test of one run, as Surefire reported it.
///
/// @param module the folder of its module
/// @param mode the run of the module's tests it belongs to: `reuse-off`, `io_uring`; empty for the
///   only or first one
/// @param type the binary name of its class
/// @param method its method, parameters included, as reported; empty when the class itself failed
/// @param kind how it ended
/// @param text the reason of a skipped test, or the trace of a failure
record TestResult(String module, String mode, String type, String method, Kind kind, String text) {
  enum Kind {
    PASSED,
    FAILED,
    SKIPPED
  }

  private static final Pattern SEED = Pattern.compile("(?i)\\bseed[ =:]+(-?\\d+)");
  private static final Pattern SCHEDULE =
      Pattern.compile("(?:--schedule |heddle[.]test[.]schedule=)(\\S*)");
  private static final Pattern MODULE_OF_FRAME =
      Pattern.compile("^(\\s*at )[\\w.]+(?:@[\\w.-]+)?//?");
  private static final int LINES_OF_A_MESSAGE = 12;
  private static final int FRAMES = 3;

  /// Class and method as `./heddle test` takes them.
  String selector() {
    String name = simpleType();
    String bare = method.replaceFirst("[\\[({].*", "");
    return bare.isEmpty() || bare.equals(type) ? name : name + "#" + bare;
  }

  /// Module, mode, class, method with its parameters.
  String title() {
    String where = mode.isEmpty() ? module : module + ", " + mode;
    String name = method.isEmpty() ? simpleType() : simpleType() + "#" + method;
    return where + ": " + name;
  }

  /// The command that runs this test again.
  ///
  /// @param full whether this run included what the default one leaves out
  String command(boolean full) {
    StringBuilder command = new StringBuilder("./heddle test ").append(full ? "--full " : "");
    Matcher seed = SEED.matcher(text);
    if (seed.find()) {
      command.append("--seed ").append(seed.group(1)).append(' ');
    }
    Matcher schedule = SCHEDULE.matcher(text);
    if (schedule.find()) {
      String decisions = schedule.group(1);
      command.append("--schedule ").append(decisions.isEmpty() ? "''" : decisions).append(' ');
    }
    return command.append("'").append(selector()).append("'").toString();
  }

  /// The failure in short: its message, the first frames in the test, and each cause.
  List<String> cause() {
    var lines = new ArrayList<String>();
    List<String> frames = new ArrayList<>();
    boolean first = true;
    for (String line : text.strip().lines().toList()) {
      if (isFrame(line)) {
        frames.add(MODULE_OF_FRAME.matcher(line).replaceFirst("$1").strip());
      } else if (line.startsWith("Caused by: ")) {
        addFrames(lines, frames);
        lines.add(line);
        first = false;
      } else if (first && frames.isEmpty() && !line.isBlank()) {
        addMessage(lines, line);
      }
    }
    addFrames(lines, frames);
    return lines;
  }

  /// The reason of a skipped test in one line.
  String reason() {
    String message =
        text.strip().lines().takeWhile(line -> !isFrame(line)).collect(Collectors.joining(" "));
    String line = message.replaceAll("\\s+", " ");
    line = line.replaceFirst("^(?:[\\w.]+Exception: )?(?:Assumption failed: )?", "");
    return line.isEmpty() ? "no reason given" : line;
  }

  String simpleType() {
    return type.substring(type.lastIndexOf('.') + 1);
  }

  private static boolean isFrame(String line) {
    return line.startsWith("\tat ") || line.startsWith("\t... ");
  }

  private static void addMessage(List<String> lines, String line) {
    if (lines.size() < LINES_OF_A_MESSAGE) {
      lines.add(line.stripTrailing());
    } else if (lines.size() == LINES_OF_A_MESSAGE) {
      lines.add("... (the log has the rest)");
    }
  }

  /// Of the frames, those in the test's class; where none is, the first.
  private void addFrames(List<String> lines, List<String> frames) {
    String owner = type.replaceFirst("\\$.*", "");
    List<String> own =
        frames.stream().filter(frame -> frame.startsWith("at " + owner)).limit(FRAMES).toList();
    (own.isEmpty() ? frames.stream().limit(FRAMES).toList() : own)
        .forEach(frame -> lines.add("  " + frame));
    frames.clear();
  }
}
