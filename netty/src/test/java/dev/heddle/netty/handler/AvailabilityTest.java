// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Why a transport does not work here: what happened, and what to do about it.
@Tag("T14")
class AvailabilityTest {
  private static final String HERE = System.getProperty("os.name").substring(0, 3);

  private static @Nullable String problem(@Nullable Throwable cause) {
    return Availability.problem(HERE, "netty-transport-native-io_uring", () -> cause);
  }

  @Test
  void transport_thatWorks_hasNoProblem() {
    assertThat(problem(null)).isNull();
  }

  @Test
  void transport_ofAnotherSystem_isNotTried() {
    assertThat(
            Availability.problem(
                "Plan 9",
                "x",
                () -> {
                  throw new AssertionError("tried");
                }))
        .isEqualTo("it exists on Plan 9 only, and this is " + System.getProperty("os.name"));
  }

  @Test
  void library_thatIsMissing_isNamedWithTheMachine() {
    String advice =
        "its native library is missing: add netty-transport-native-io_uring with the classifier"
            + " of this machine ("
            + System.getProperty("os.arch")
            + ") to the class path";
    assertThat(problem(new UnsatisfiedLinkError("no such file"))).isEqualTo(advice);
    assertThat(problem(new RuntimeException(new IllegalArgumentException("no library"))))
        .isEqualTo(advice);
    assertThat(
            Availability.problem(
                HERE,
                "netty-transport-native-io_uring",
                () -> {
                  throw new NoClassDefFoundError("io/netty/channel/uring/IoUring");
                }))
        .isEqualTo(advice);
  }

  @Test
  void ring_thatIsForbidden_saysWhoForbidsIt() {
    assertThat(problem(new RuntimeException(new Exception("Operation not permitted"))))
        .matches(
            "the administrator has switched io_uring off: .*"
                + "|the system forbids io_uring \\(Operation not permitted\\), as containers do by"
                + " default: allow it in the seccomp profile, or use epoll");
  }

  @Test
  void otherCauses_areTheirFirstLine() {
    assertThat(problem(new RuntimeException(new Exception("too old\nby far"))))
        .isEqualTo("too old");
    assertThat(problem(new RuntimeException())).isEqualTo("java.lang.RuntimeException");
  }
}
