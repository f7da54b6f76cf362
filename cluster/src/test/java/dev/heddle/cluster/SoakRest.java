// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// What must be so when the nodes of [ClusterSoak] have come to rest: each is asked until it is, or
/// a problem is reported.
final class SoakRest {
  private final SoakJvms nodes;
  private final List<String> names;
  private final Consumer<String> problems;

  SoakRest(SoakJvms nodes, Consumer<String> problems) {
    this.nodes = nodes;
    this.names = nodes.names();
    this.problems = problems;
  }

  void awaitLeases() throws Exception {
    awaitSessions();
    await(
        "not all have a lease",
        () -> {
          for (String name : names) {
            if (ask(name, "lease").startsWith("false")) {
              return name + " has none";
            }
          }
          return null;
        });
  }

  void awaitSameOwners() throws Exception {
    awaitLeases();
    await(
        "names diverge",
        () -> {
          Map<String, Set<String>> views = new TreeMap<>();
          for (String name : names) {
            views.computeIfAbsent(ask(name, "owners"), _ -> new HashSet<>()).add(name);
          }
          views.computeIfAbsent(ask(names.getFirst(), "majority"), _ -> new HashSet<>()).add("log");
          return views.size() == 1 ? null : views.toString();
        });
  }

  /// Asks until it is so, or reports a problem.
  private void await(String what, SoakJvms.Question question) throws Exception {
    String missing = SoakJvms.await(question);
    if (missing != null) {
      problems.accept("%s, after 2 minutes: %s".formatted(what, missing));
    }
  }

  void awaitSessions() throws Exception {
    await(
        "not all sessions open",
        () -> {
          for (String name : names) {
            Set<String> missing = new HashSet<>(names);
            missing.remove(name);
            missing.removeAll(List.of(ask(name, "up").split(",")));
            if (!missing.isEmpty()) {
              return name + " is not in touch with " + missing;
            }
          }
          return null;
        });
  }

  void awaitSettled() throws Exception {
    awaitEach("watches without DOWN, or watched processes left", "settle");
  }

  void awaitEntities() throws Exception {
    awaitEach("entities do not reply", "calls");
  }

  /// Until each node answers 0.
  private void awaitEach(String what, String command) throws Exception {
    await(
        what,
        () -> {
          StringBuilder left = new StringBuilder();
          for (String name : names) {
            String answer = ask(name, command);
            if (!answer.equals("0")) {
              left.append(name).append(" has ").append(answer).append("; ");
            }
          }
          return left.isEmpty() ? null : left.toString();
        });
  }

  long awaitMarks() throws Exception {
    long[] longest = new long[1];
    await(
        "a message each way",
        () -> {
          longest[0] = 0;
          for (String name : names) {
            String millis = ask(name, "mark");
            if (!millis.matches("\\d+")) {
              return millis;
            }
            longest[0] = Math.max(longest[0], Long.parseLong(millis));
          }
          return null;
        });
    return longest[0];
  }

  void awaitSameGroups() throws Exception {
    await(
        "groups differ",
        () -> {
          Map<String, Set<String>> views = new TreeMap<>();
          for (String name : names) {
            // members of its own come first in the product's list: SoakNode sorts them
            views.computeIfAbsent(ask(name, "members"), _ -> new HashSet<>()).add(name);
          }
          return views.size() == 1 ? null : views.toString();
        });
  }

  private String ask(String name, String command) throws Exception {
    return nodes.ask(name, command);
  }
}
