// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hosting.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// More connections than the system grants descriptors.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FloodTest {
  @Test
  void tenThousandConnections_withAThousandDescriptors_endInClearErrorsAndNoHang(
      @TempDir Path folder) throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(FloodProgram.class)
            .from(folder.resolve("flood.jar"))
            .withOpenFiles(1_024)
            .run();
    assertThat(child.output())
        .contains("10000 connections ended")
        .contains("refused: java.net.SocketException: Too many open files")
        .contains("unclear: 0")
        .contains("afterwards: echoed")
        .contains("descriptors left over: none");
    assertThat(child.exitCode()).isZero();
  }
}
