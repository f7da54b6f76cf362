// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every change of the public API shows as a change of a committed text.
@Tag("once")
class ApiTextTest {
  private static final Path COMMITTED =
      Path.of(System.getProperty("heddle.root"), "api/dev.heddle.txt");

  @Test
  void api_ofThisBuild_isTheCommittedText() throws IOException {
    String now = ApiText.of(Path.of(System.getProperty("heddle.classes")));
    if (Boolean.getBoolean("api.update")) {
      Files.createDirectories(COMMITTED.getParent());
      Files.writeString(COMMITTED, now);
    }

    String committed = Files.exists(COMMITTED) ? Files.readString(COMMITTED) : "";
    assertThat(now)
        .as(
            "The public API is not what %s says. If the change is meant, write it with"
                + " `./mvnw -pl core test -Dgates=off -Dtest=ApiTextTest -Dapi.update=true`"
                + " and commit the file.",
            COMMITTED)
        .isEqualTo(committed);
  }
}
