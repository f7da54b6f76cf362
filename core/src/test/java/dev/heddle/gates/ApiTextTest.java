// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every change of the public API of a module shows as a change of a committed text. Runs in each
/// module that has one, on the classes that it was given.
@Tag("once")
class ApiTextTest {
  private static final Path TEXTS = Path.of(System.getProperty("heddle.root"), "api");

  @Test
  void api_ofThisBuild_isTheCommittedText() throws IOException {
    String now = ApiText.of(Path.of(System.getProperty("heddle.classes")));
    String module = now.lines().findFirst().orElseThrow().substring("module ".length());
    Path text = TEXTS.resolve(module + ".txt");
    if (Boolean.getBoolean("api.update")) {
      Files.createDirectories(TEXTS);
      Files.writeString(text, now);
    }

    String committed = Files.exists(text) ? Files.readString(text) : "";
    assertThat(now)
        .as(
            "The public API is not what %s says. If the change is meant, write it with"
                + " `./mvnw -pl core,process,netty test -Dgates=off -Dtest=ApiTextTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtests.api.skip=false"
                + " -Dapi.update=true` and commit the"
                + " file.",
            text)
        .isEqualTo(committed);
  }
}
