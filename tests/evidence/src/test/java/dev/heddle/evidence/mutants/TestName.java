// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import java.util.Comparator;

/// A test method, as `./heddle test` takes it: simple names of test classes are unique.
public record TestName(String type, String method) implements Comparable<TestName> {
  private static final Comparator<TestName> ORDER =
      Comparator.comparing(TestName::type).thenComparing(TestName::method);

  /// The test that `text` names.
  ///
  /// @throws IllegalArgumentException when it has not the form `Type#method`
  public static TestName parse(String text) {
    int hash = text.indexOf('#');
    if (hash < 1) {
      throw new IllegalArgumentException("not a test, which reads Type#method: " + text);
    }
    return new TestName(text.substring(0, hash), text.substring(hash + 1));
  }

  @Override
  public int compareTo(TestName other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return type + "#" + method;
  }
}
