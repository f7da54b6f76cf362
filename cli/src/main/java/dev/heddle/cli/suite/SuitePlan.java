// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The plan of a run, and Maven's arguments for it.
///
/// @param root the project
/// @param state the folder for the log, and for builds without gates
/// @param name a test class or method, as Surefire takes it; empty for all
/// @param tag only tests with this tag; empty for all
/// @param seed the seed of random tests and of simulations; empty for their own
/// @param schedule the decisions of a simulation, which may be none; null for those of its strategy
/// @param full whether slow tests and outside projects run too
public record SuitePlan(
    Path root,
    Path state,
    String name,
    String tag,
    String seed,
    @Nullable String schedule,
    boolean full) {
  /// Four modules at a time, because tests wait more than they compute; all modules, even after a
  /// failure; thread names, by which [BuildLog] assigns lines to modules; and the goal by which it
  /// recognises the end of a module.
  private static final List<String> ALWAYS =
      List.of(
          "-T",
          "4",
          "--fail-at-end",
          "-Dmaven.test.failure.ignore=true",
          "-Dorg.slf4j.simpleLogger.showThreadName=true",
          "-Dstyle.color=never");

  private static final int STRESS_SECONDS = 20; // of each random search; 5 in the default run

  private static final List<String> GOALS = List.of("verify", "enforcer:enforce@tools");

  /// Whether it is the whole suite, with the gates.
  boolean isWhole() {
    return name.isEmpty() && tag.isEmpty();
  }

  Path log() {
    return state.resolve("test.log");
  }

  /// Where modules are built without the gates.
  Path quick() {
    return state.resolve("test");
  }

  Path target(SuiteModule module) {
    return isWhole() ? root.resolve(module.folder()).resolve("target") : quickTarget(module);
  }

  Path quickTarget(SuiteModule module) {
    return quick().resolve(module.artifact());
  }

  String title() {
    String what = full ? "every test, slow ones and outside projects too" : "the default tests";
    if (!name.isEmpty()) {
      what = name + ", without the gates";
    } else if (!tag.isEmpty()) {
      what = "tests tagged " + tag + ", without the gates";
    } else {
      what += ", every gate";
    }
    return "heddle test: " + what + (seed.isEmpty() ? "" : ", seed " + seed);
  }

  /// The message when no test has passed or failed.
  String nothingRan(long skipped) {
    String what = name.isEmpty() ? tag.isEmpty() ? "" : " tagged " + tag : " named " + name;
    return skipped > 0
        ? "no test" + what + " ran: all were skipped, see the reasons above"
        : "no test" + what + " ran" + (isWhole() ? "" : ": is the name right?");
  }

  List<String> arguments() {
    return arguments(isWhole() ? List.of("clean") : withoutGates());
  }

  private List<String> arguments(List<String> first) {
    var arguments = new ArrayList<>(ALWAYS);
    arguments.addAll(first);
    arguments.addAll(selection());
    arguments.addAll(GOALS);
    return arguments;
  }

  /// Maven's arguments for a second pass over modules whose tests did not run.
  ///
  /// @param left their folders; what they need is built and not tested
  List<String> second(Set<String> left, List<SuiteModule> modules) {
    var arguments = new ArrayList<>(withoutGates());
    arguments.addAll(List.of("-pl", String.join(",", left), "-am"));
    for (SuiteModule module : modules) {
      if (!left.contains(module.folder())) {
        arguments.add("-Dtests.skip." + module.name() + "=true");
      }
    }
    return arguments(arguments);
  }

  private List<String> withoutGates() {
    return List.of(
        "-Dgates=off",
        "-Dquick.root=" + quick(),
        "-Dsurefire.failIfNoSpecifiedTests=false",
        "-Dfailsafe.failIfNoSpecifiedTests=false");
  }

  private List<String> selection() {
    var arguments = new ArrayList<String>();
    if (!name.isEmpty()) {
      // Failsafe runs classes that end in IT; each tool would run the other's tests if it got their
      // name.
      boolean ofProcesses = name.replaceFirst("#.*", "").endsWith("IT");
      arguments.addAll(
          ofProcesses
              ? List.of("-Dtest=none", "-Dit.test=" + name)
              : List.of("-Dtest=" + name, "-DskipITs"));
    }
    if (!tag.isEmpty()) {
      arguments.add("-Dgroups=" + tag);
    }
    if (!seed.isEmpty()) {
      arguments.add("-Dheddle.seed=" + seed);
      arguments.add("-Dheddle.test.seed=" + seed);
    }
    if (schedule != null) {
      arguments.add("-Dheddle.test.schedule=" + schedule);
    }
    if (full || "full".equals(tag)) {
      arguments.add("-Dtests.excluded=none");
      arguments.add("-Dheddle.stress.seconds=" + STRESS_SECONDS);
    }
    return arguments;
  }
}
