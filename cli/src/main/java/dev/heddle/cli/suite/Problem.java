// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.util.List;

/// What stopped a module, apart from failed tests: it does not compile, a gate refuses it, or the
/// JVM of its tests ended early.
///
/// @param artifact the module's artifactId
/// @param goal Maven's goal, as `compiler:compile`; empty when there was none
/// @param lines the output of the goal
record Problem(String artifact, String goal, List<String> lines) {
  String what() {
    return switch (plugin()) {
      case "compiler" -> "does not compile";
      case "fmt" -> "is not formatted";
      case "checkstyle" -> "breaks a rule of style";
      case "javadoc" -> "has wrong Javadoc";
      case "surefire", "failsafe" -> "its tests were cut off";
      case "" -> "could not be built";
      default -> "fails at " + goal;
    };
  }

  String advice() {
    return switch (plugin()) {
      case "compiler" ->
          "mend what the compiler names (a gate says how in its message), then ./heddle test";
      case "fmt" -> "./mvnw -pl config fmt:format";
      case "checkstyle" ->
          "mend the lines named; config/checkstyle.xml has the rules,"
              + " config/checkstyle-suppressions.xml the exceptions";
      case "javadoc" -> "mend the comments named; only this gate sees links and snippet regions";
      case "surefire", "failsafe" ->
          "look at the end of the log and for hs_err_pid*.log: a JVM of the tests crashed, was"
              + " killed, or called exit";
      case "" ->
          "if a download failed, run it again with a network; else the log says what is wrong";
      default -> "the log has all that it said";
    };
  }

  boolean isOfTests() {
    return plugin().equals("surefire") || plugin().equals("failsafe");
  }

  private String plugin() {
    return goal.replaceFirst(":.*", "");
  }
}
