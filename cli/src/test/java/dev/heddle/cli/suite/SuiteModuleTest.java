// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteModuleTest {
  @TempDir Path root;

  @Test
  void moduleBelowAFolder_isKnownByItsLastName() throws IOException {
    Files.writeString(
        root.resolve("pom.xml"),
        "<project><modules><module>tests/drivers</module></modules></project>");
    Files.createDirectories(root.resolve("tests/drivers"));
    Files.writeString(
        root.resolve("tests/drivers/pom.xml"),
        "<project><artifactId>heddle-tests-drivers</artifactId></project>");

    List<SuiteModule> modules = SuiteModule.of(root);

    assertThat(modules)
        .containsExactly(
            new SuiteModule("tests/drivers", "heddle-tests-drivers", "heddle-tests-drivers"));
    assertThat(modules.getFirst().name()).isEqualTo("drivers");
    var plan = new SuitePlan(root, root, "", "", "", null, false);
    assertThat(plan.second(Set.of("cli"), modules)).contains("-Dtests.skip.drivers=true");
  }
}
