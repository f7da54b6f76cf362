// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cli.doctor.Chromium;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/// What becomes of a test whose browser, or whose reader in it, cannot be had.
@Tag("once")
class DevToolsTest {
  private static void need(boolean isThere, Map<String, String> environment) {
    DevTools.need(isThere, "Perfetto", "that it reads traces", environment);
  }

  @Test
  void whatIsMissing_skipsTheTest_andFailsItWhereItIsRequired() {
    Map<String, String> required = Map.of(Chromium.REQUIRED, "required");
    need(true, Map.of());
    need(true, required);
    assertThatThrownBy(() -> need(false, Map.of()))
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("no Perfetto: not proved here is that it reads traces");
    assertThatThrownBy(() -> need(false, required))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("HEDDLE_BROWSER=required");
  }
}
