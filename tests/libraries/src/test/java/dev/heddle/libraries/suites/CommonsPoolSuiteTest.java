// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.commons.pool2.impl.TestGenericObjectPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.DiscoverySelector;

/// Commons Pool's own tests, from its published test jar. Their helpers are threads of the JDK's,
/// so nothing here meets the busy wait that holds a loop.
@Tag("full")
@Tag("T16")
@Timeout(value = 20 * 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommonsPoolSuiteTest {
  /// They fill the heap, or measure.
  private static final String[] LEFT_OUT = {".*TestSoftRefOutOfMemory", ".*performance[.].*"};

  @Test
  void tests_thatPassOnAThread_passAsMainCoroutine() throws Exception {
    List<? extends DiscoverySelector> jar = selectClasspathRoots(Set.of(testJar()));
    Outcomes control = PlatformSuite.run(jar, false, LEFT_OUT);
    Outcomes coroutines = PlatformSuite.run(jar, true, LEFT_OUT);
    int passed = Outcomes.assertAllOf(control, coroutines, CommonsPoolSuiteTest::inCoroutines);
    System.out.printf("Commons Pool: %d of %d tests pass both ways%n", passed, control.count());
    assertThat(passed).isGreaterThan(200); // the jar has been found and has what it should
  }

  private static Path testJar() throws URISyntaxException {
    return Path.of(
        TestGenericObjectPool.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static Outcomes inCoroutines(Collection<String> tests) {
    return PlatformSuite.run(tests.stream().map(test -> selectUniqueId(test)).toList(), true);
  }
}
