// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// A test class with blocking code of the JDK, run by JUnit with the agent.
@Tag("agent")
@Timeout(300)
class AgentHeddleTestTest {
  @Test
  @Tag("sim-8")
  void blockingTest_takesVirtualTime_afterAWarmUp() {
    List<String> reported = new ArrayList<>();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(TestClasses.Blocking.class))
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                  reported.add(test.getDisplayName() + " " + result.getStatus());
                }
              }
            });
    assertThat(reported)
        .filteredOn(run -> !run.contains("again")) // another thread may initialise classes
        .containsExactly("warm-up SUCCESSFUL", "seed 0 SUCCESSFUL", "seed 1 SUCCESSFUL");
  }
}
