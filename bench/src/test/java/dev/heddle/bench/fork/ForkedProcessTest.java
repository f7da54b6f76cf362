// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForkedProcessTest {
  private static final Duration GUARD = Duration.ofMinutes(1);

  @Test
  void reasonBehindAnEmptyLine_isTold() throws ForkFailedException {
    List<String> panicsAsRustDoes = List.of("sh", "-c", "echo >&2; echo the reason >&2");

    try (ForkedProcess process = ForkedProcess.start(panicsAsRustDoes)) {
      assertThatThrownBy(() -> process.take(GUARD)).hasMessage("its process ended: the reason");
    }
  }
}
