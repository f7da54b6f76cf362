// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The line that replays a run.
class ReplayTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void script_withTheWrapper_isACheckout_alsoFromItsModules() throws Exception {
    assertThat(Replay.isInCheckout(folder)).isFalse();
    var executable =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createFile(folder.resolve("heddle"), executable);
    assertThat(Replay.isInCheckout(folder)).isFalse();
    Files.createFile(folder.resolve("mvnw"));
    assertThat(Replay.isInCheckout(folder)).isTrue();
    assertThat(Replay.isInCheckout(folder.resolve("core/src"))).isTrue();
  }

  @Test
  void command_quotesWhatAShellWouldTake() {
    assertThat(Replay.command(3, "0:1,2:1", "Tests$Nested#sell"))
        .isEqualTo("./heddle test --seed 3 --schedule 0:1,2:1 'Tests$Nested#sell'");
    assertThat(Replay.command(3, "", "StockTest#sell"))
        .isEqualTo("./heddle test --seed 3 --schedule '' 'StockTest#sell'");
  }

  @Test
  void test_thatCallsIsNamed() {
    assertThat(TestName.onStack()).isEqualTo("ReplayTest#test_thatCallsIsNamed");
  }
}
