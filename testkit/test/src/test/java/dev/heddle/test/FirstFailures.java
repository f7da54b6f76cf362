// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs test classes, and prints of each how many tests failed, and the first failure.
final class FirstFailures implements TestExecutionListener {
  private int tests;
  private int failures;
  private String first = "";

  private FirstFailures() {}

  public static void main(String[] names) {
    for (String name : names) {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request().selectors(selectClass(name)).build();
      FirstFailures seen = new FirstFailures();
      LauncherFactory.create().execute(request, seen);
      IO.println("%s\t%d\t%d".formatted(name, seen.tests, seen.failures));
      IO.println(seen.first);
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      tests++;
    }
    result
        .getThrowable()
        .ifPresent(failure -> {
          failures++;
          first = first.isEmpty() ? String.valueOf(failure.getMessage()).strip() : first;
        });
  }
}
