// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What `heddle bench` passes on.
class BenchCommandTest {
  @Test
  void against_passesTheCommitsHashAndClassPath() {
    List<String> passed =
        BenchCommand.withOther(
            List.of("--quick", "--against", "HEAD~1", "switch"), "0123456789", "there/*");

    assertThat(passed)
        .containsExactly(
            "--quick", "--against-class-path", "there/*", "--against", "0123456789", "switch");
  }

  @Test
  void otherCommit_hasATreeOfItsOwnBelowTheLaunchersFolder() {
    var home = new Home(Path.of("project"));
    var other = new OtherCommit(home, "0123456789abcdef");

    assertThat(other.tree().root()).isEqualTo(Path.of("project/.heddle/commits/0123456789"));
  }
}
