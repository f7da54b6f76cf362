// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Candidates;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Course;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The decisions of a run that differ from the oldest first: the number of each, and the place of
/// the chosen one. As text `4:1,9:2`.
///
/// @param choices by decision, ascending; no choice is 0
record Schedule(TreeMap<Integer, Integer> choices) implements Chooser {
  static Schedule of(Course course) {
    TreeMap<Integer, Integer> choices = new TreeMap<>();
    for (int decision = 0; decision < course.decisions(); decision++) {
      int chosen = course.chosen(course.stepOf(decision));
      if (chosen != 0) {
        choices.put(decision, chosen);
      }
    }
    return new Schedule(choices);
  }

  /// @throws IllegalArgumentException when the text is none of a schedule
  static Schedule parse(String text) {
    if (!text.matches("(\\d{1,9}:\\d{1,9}(,\\d{1,9}:\\d{1,9})*)?")) {
      throw new IllegalArgumentException(
          "a schedule has the form 4:1,9:2 (decision:choice), but is: " + text);
    }
    TreeMap<Integer, Integer> choices = new TreeMap<>();
    for (String one : text.isEmpty() ? new String[0] : text.split(",")) {
      String[] pair = one.split(":");
      choices.put(Integer.valueOf(pair[0]), Integer.valueOf(pair[1]));
    }
    return new Schedule(choices);
  }

  /// The same with only some of its decisions; the oldest first elsewhere.
  Schedule only(Collection<Integer> decisions) {
    return new Schedule(
        choices.entrySet().stream()
            .filter(choice -> decisions.contains(choice.getKey()))
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, Map.Entry::getValue, (a, _) -> a, TreeMap::new)));
  }

  @Override
  public int choose(int decision, Candidates ready) {
    return choices.getOrDefault(decision, 0);
  }

  @Override
  public String toString() {
    return choices.entrySet().stream()
        .map(choice -> choice.getKey() + ":" + choice.getValue())
        .collect(Collectors.joining(","));
  }
}
