// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs tests that JUnit finds, on the calling thread or in coroutines.
final class PlatformSuite {
  private PlatformSuite() {}

  /// Runs tests, by JUnit's unique ids.
  ///
  /// @param leftOut regular expressions of names of classes
  static Outcomes run(
      List<? extends DiscoverySelector> tests, boolean inCoroutines, String... leftOut) {
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(tests)
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .configurationParameter(InCoroutine.PARAMETER, String.valueOf(inCoroutines));
    if (leftOut.length > 0) {
      request.filters(ClassNameFilter.excludeClassNamePatterns(leftOut));
    }
    Outcomes outcomes = new Outcomes();
    LauncherFactory.create().execute(request.build(), listener(outcomes));
    return outcomes;
  }

  private static TestExecutionListener listener(Outcomes outcomes) {
    return new TestExecutionListener() {
      @Override
      public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
          outcomes.add(test.getUniqueId(), result.getThrowable().orElse(null));
        }
      }
    };
  }
}
