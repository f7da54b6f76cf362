// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What became of the tests of a suite, by name.
final class Outcomes {
  /// How often a test is run again, alone, that has passed on a thread and failed in a coroutine:
  /// tests of others' may depend on time.
  private static final int AGAIN = 3;

  private final Map<String, List<Throwable>> failures =
      Collections.synchronizedMap(new LinkedHashMap<>());

  /// Keeps the end of a test; one of several of the same name that failed makes the name fail.
  void add(String test, @Nullable Throwable failure) {
    List<Throwable> all = failures.computeIfAbsent(test, _ -> new ArrayList<>());
    if (failure != null) {
      all.add(failure);
    }
  }

  int count() {
    return failures.size();
  }

  Set<String> passed() {
    Set<String> passed = new HashSet<>(failures.keySet());
    passed.removeIf(test -> !failures.get(test).isEmpty());
    return passed;
  }

  /// Asserts that whatever passes on a thread passes in a coroutine.
  ///
  /// @param again runs the named tests once more, in coroutines
  /// @return how many passed both ways
  static int assertAllOf(
      Outcomes control, Outcomes coroutines, Function<Collection<String>, Outcomes> again) {
    Set<String> missing = new TreeSet<>(control.passed());
    coroutines.passed().forEach(missing::remove);
    Outcomes last = coroutines;
    for (int i = 0; i < AGAIN && !missing.isEmpty(); i++) {
      last = again.apply(missing);
      last.passed().forEach(missing::remove);
    }
    for (String test : missing) {
      last.failures.getOrDefault(test, List.of()).forEach(Throwable::printStackTrace);
    }
    assertThat(missing)
        .as("tests that pass on a thread, and fail or are missing in a coroutine")
        .isEmpty();
    return control.passed().size();
  }
}
