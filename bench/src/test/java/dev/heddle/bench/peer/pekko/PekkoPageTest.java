// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What the page for those who come from Pekko shows of Pekko.
class PekkoPageTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  private static String found(String pattern, Path file) throws IOException {
    var match = Pattern.compile("(?s)" + pattern).matcher(Files.readString(file));
    assertThat(match.find()).as(pattern).isTrue();
    return match.group(1);
  }

  @Test
  void pekkosServer_isTheOneOfThePage() throws IOException {
    String program =
        found(
            "// shown from here\\n(.*?)// to here",
            ROOT.resolve("bench/src/test/java/dev/heddle/bench/peer/pekko/PekkoStock.java"));
    assertThat(
            found(
                "\\*\\*Pekko Typed\\.\\*\\*[^`]*```java\\n(.*?)```",
                ROOT.resolve("docs/explanation/coming-from-otp-or-pekko.md")))
        .isEqualTo(program.stripIndent());
  }

  @Test
  void pekkosServer_printsWhatThePageSays() {
    List<String> printed = new ArrayList<>();
    PekkoStock.run(printed::add);
    assertThat(printed).containsExactly("3 left", "it crashed", "0 left");
  }
}
