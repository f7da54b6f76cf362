// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the documentation says of clients that are built on Netty is what the tests here run.
@Tag("T14.6")
class HowToTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", "../.."));
  private static final String SECTION = "## Clients that are built on Netty";

  private static final Pattern SHOWN = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern REGION =
      Pattern.compile("// @start region=\\S+\n(.*?)// @end", Pattern.DOTALL);

  @Test
  void codeOfTheHowTo_isARegionOfATest() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/how-to/use-netty.md"));
    String section = page.substring(page.indexOf(SECTION));
    List<String> shown = found(SHOWN, section);
    assertThat(shown).isNotEmpty();
    assertThat(regions()).containsAll(shown);
  }

  private static List<String> regions() throws IOException {
    Path tests = ROOT.resolve("tests/libraries/src/test/java/dev/heddle/libraries/netty");
    try (Stream<Path> files = Files.list(tests)) {
      return files.flatMap(file -> found(REGION, read(file)).stream()).toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// All there is of it, whatever the indentation.
  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(HowToTest::plain).toList();
  }

  private static String plain(MatchResult found) {
    return found.group(1).strip().lines().map(String::strip).collect(Collectors.joining("\n"));
  }
}
