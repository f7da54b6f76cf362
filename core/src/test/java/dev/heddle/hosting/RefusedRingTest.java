// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.driver.DriverProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A system that forbids one of the ring's calls, whichever: `auto` takes the next driver, and says
/// which call it is.
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedRingTest {
  @BeforeEach
  void requireRing() {
    assumeThat(System.getProperty("heddle.driver")).as("the child has drivers").isNotNull();
    assumeThat(Drivers.offered().stream().filter(driver -> driver.problem() == null))
        .as("io_uring works here")
        .extracting(DriverProvider::name)
        .contains("io_uring", "epoll");
  }

  @ParameterizedTest
  @CsvSource({"425, io_uring_setup", "426, io_uring_enter", "427, io_uring_register"})
  void auto_whereACallOfTheRingIsRefused_takesEpollAndNamesTheCall(String number, String call)
      throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(RefusedRingProgram.class)
            .with("-Dheddle.driver=auto")
            .withArguments(number)
            .run();
    assumeThat(child.exitCode()).as("this system lets a process filter its calls").isNotEqualTo(3);
    assertThat(child.output())
        .contains("served by epoll")
        .containsPattern("io_uring: .*" + call + ".*");
    assertThat(child.exitCode()).isZero();
  }
}
