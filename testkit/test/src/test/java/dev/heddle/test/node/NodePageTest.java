// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the page on networks and crashes shows is what tests run.
@Tag("once")
class NodePageTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", "../.."));
  private static final Path PAGE = ROOT.resolve("docs/how-to/simulate-a-network-and-crashes.md");
  private static final Path TESTS = ROOT.resolve("testkit/test/src/test/java/dev/heddle/test");
  private static final Pattern SHOWN = Pattern.compile("(?s)```java\n(.*?)\n```");
  private static final Pattern REGION =
      Pattern.compile("(?s)// @start region=\\S+\n(.*?)\n *// @end");

  @Test
  void codeOfThePage_isARegionOfATest() throws IOException {
    List<String> regions =
        List.of("node/NodeSnippetsTest.java", "net/NetworkSnippetsTest.java").stream()
            .flatMap(file -> found(REGION, read(TESTS.resolve(file))).stream())
            .map(String::stripIndent)
            .toList();
    List<String> shown = found(SHOWN, Files.readString(PAGE));
    assertThat(shown).hasSize(6);
    assertThat(regions).containsAll(shown);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(result -> result.group(1)).toList();
  }
}
