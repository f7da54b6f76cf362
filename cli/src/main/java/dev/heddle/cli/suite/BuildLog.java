// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The state of the modules by Maven's output: what each does, which ended, and what stopped one.
///
/// Maven writes the name of its thread before each line of its own, which separates the lines of
/// modules that are built at the same time. Output of tests has no such prefix and is only copied.
///
/// **Thread** any; one thread writes.
final class BuildLog {
  /// What a module does, or how it ended.
  enum Stage {
    WAITING,
    BUILDING,
    TESTING,
    DONE,
    STOPPED,
    NOT_RUN
  }

  /// The goal that is run last in each module, and nowhere else twice: when it begins, all else of
  /// the module has passed.
  static final String LAST_GOAL = "enforcer:enforce@tools";

  private static final Pattern LINE =
      Pattern.compile("^\\[([^\\]]+)\\] \\[(INFO|WARNING|ERROR)\\] ?(.*)$");
  private static final Pattern GOAL =
      Pattern.compile("^--- ([\\w-]+):[^:]+:([\\w-]+) \\(([^)]+)\\) @ (\\S+) ---$");
  private static final Pattern STOPPED =
      Pattern.compile(
          "^Failed to execute goal (?:(\\S+) )?(?:\\([^)]*\\) )?on project" + " (\\S+): ?(.*)$");
  private static final Pattern SUMMARY =
      Pattern.compile("^(.+?) \\.{2,} (SUCCESS|FAILURE|SKIPPED).*$");
  private static final Pattern BOILERPLATE =
      Pattern.compile(
          "^$|.*\\[Help \\d+\\].*|To see the full stack trace.*|Re-run Maven using.*"
              + "|For more information about.*|After correcting the problems.*|mvn <args> .*"
              + "|See .* for the individual test results\\.|See dump files .*");
  private static final int LINES_OF_A_PROBLEM = 30;

  private final Map<String, String> artifactOfTitle = new HashMap<>();
  private final Map<String, String> artifactOfThread = new HashMap<>();
  private final Map<String, Stage> stages = new LinkedHashMap<>();
  private final Map<String, List<String>> complaints = new HashMap<>();
  private final Set<String> begun = new HashSet<>();
  private final List<Problem> problems = new ArrayList<>();
  private @Nullable Problem continued;
  private boolean started;

  BuildLog(List<SuiteModule> modules) {
    for (SuiteModule module : modules) {
      artifactOfTitle.put(module.title(), module.artifact());
      stages.put(module.artifact(), Stage.WAITING);
    }
  }

  /// Processes one line, and returns it as the log file gets it.
  synchronized String accept(String line) {
    started |= line.contains("Scanning for projects");
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      return line;
    }
    String thread = parts.group(1);
    String level = parts.group(2);
    String text = parts.group(3);
    Matcher goal = GOAL.matcher(text);
    if (goal.matches()) {
      goal(thread, goal);
    } else if (level.equals("ERROR")) {
      error(thread, text);
    } else if (level.equals("WARNING")) {
      complain(thread, text);
    } else {
      summary(text);
    }
    String module = artifactOfThread.get(thread);
    return "[" + level + "] " + (module == null ? "" : module + ": ") + text;
  }

  synchronized Stage stage(SuiteModule module) {
    return stages.getOrDefault(module.artifact(), Stage.WAITING);
  }

  /// Whether Maven got as far as reading the project.
  synchronized boolean hasStarted() {
    return started;
  }

  synchronized List<Problem> problems() {
    return List.copyOf(problems);
  }

  private void goal(String thread, Matcher goal) {
    String artifact = goal.group(4);
    String name = goal.group(1) + ":" + goal.group(2) + "@" + goal.group(3);
    artifactOfThread.put(thread, artifact);
    complaints.remove(artifact);
    boolean last = name.equals(LAST_GOAL) && !begun.add(artifact);
    boolean tests = name.startsWith("surefire:") || name.startsWith("failsafe:integration");
    if (stages.containsKey(artifact)) {
      stages.put(artifact, last ? Stage.DONE : tests ? Stage.TESTING : Stage.BUILDING);
    }
  }

  private void error(String thread, String text) {
    Matcher stopped = STOPPED.matcher(text);
    if (stopped.matches()) {
      stop(stopped.group(2), goalName(stopped.group(1)), stopped.group(3));
    } else if (continued != null) {
      if (text.contains("[Help ")) {
        continued = null;
      } else {
        add(continued.lines(), text);
      }
    } else {
      complain(thread, text);
    }
  }

  private void stop(String artifact, String goal, String message) {
    var problem = new Problem(artifact, goal, new ArrayList<>());
    complaints.getOrDefault(artifact, List.of()).forEach(line -> add(problem.lines(), line));
    add(problem.lines(), message.replaceFirst(" ?-> \\[Help \\d+\\]", ""));
    problems.add(problem);
    stages.replace(artifact, Stage.STOPPED);
    continued = message.contains("[Help ") ? null : problem;
  }

  /// Keeps the warnings of a goal: they are the reason when it fails.
  private void complain(String thread, String text) {
    String artifact = artifactOfThread.get(thread);
    if (artifact != null) {
      add(complaints.computeIfAbsent(artifact, _ -> new ArrayList<>()), text);
    }
  }

  private void summary(String text) {
    Matcher summary = SUMMARY.matcher(text);
    String artifact = summary.matches() ? artifactOfTitle.get(summary.group(1)) : null;
    if (artifact != null) {
      switch (summary.group(2)) {
        case "SUCCESS" -> stages.put(artifact, Stage.DONE);
        case "FAILURE" -> stages.put(artifact, Stage.STOPPED);
        default -> stages.put(artifact, Stage.NOT_RUN);
      }
    }
  }

  private static void add(List<String> lines, String text) {
    if (!BOILERPLATE.matcher(text).matches()
        && !lines.contains(text)
        && lines.size() < LINES_OF_A_PROBLEM) {
      lines.add(text);
    }
  }

  /// `compiler:compile` of `org.apache.maven.plugins:maven-compiler-plugin:3.16.0:compile`.
  private static String goalName(@Nullable String coordinates) {
    if (coordinates == null) {
      return "";
    }
    String[] parts = coordinates.split(":");
    return parts.length < 4
        ? coordinates
        : parts[1].replaceFirst("^maven-", "").replaceFirst("-(?:maven-)?plugin$", "")
            + ":"
            + parts[3];
  }
}
