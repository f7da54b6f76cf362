// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the documentation shows of other libraries, and of clusters, is what tests run.
@Tag("T14.6")
@Tag("T16")
class HowToTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", "../.."));

  private static final Pattern SHOWN = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern REGION =
      Pattern.compile("// @start region=\\S+\n(.*?)// @end", Pattern.DOTALL);

  /// A whole program, which the tests of the examples run.
  private static final String PROGRAM = "void main()";

  @ParameterizedTest
  @CsvSource({
    "use-netty.md, ## Clients that are built on Netty",
    "run-executors-on-a-loop.md, ## Lines to paste",
    "bridge-reactive-streams.md, # Bridge Reactive Streams",
    "carry-contexts.md, # Carry contexts of other libraries",
    "pool-connections.md, # Pool connections",
    "export-metrics.md, # Export metrics",
    "run-three-nodes.md, # Run three nodes",
    "run-on-kubernetes.md, # Run a cluster on Kubernetes",
    "upgrade-a-cluster.md, # Upgrade a cluster",
    "make-cluster-certificates.md, # Make the certificates of a cluster",
  })
  void codeOfTheHowTo_isARegionOfATest(String name, String from) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/how-to").resolve(name));
    List<String> shown =
        found(SHOWN, page.substring(page.indexOf(from))).stream()
            .filter(code -> !code.contains(PROGRAM))
            .toList();
    assertThat(shown).isNotEmpty();
    assertThat(regions()).containsAll(shown);
  }

  private static List<String> regions() {
    return Stream.of(
            "tests/libraries/src/test/java",
            "core/src/test/java/dev/heddle/snippets",
            "context/src/test/java",
            "metrics/src/test/java",
            "cluster/src/test/java/dev/heddle/cluster/PagesSnippetsTest.java")
        .flatMap(folder -> files(ROOT.resolve(folder)).stream())
        .flatMap(file -> found(REGION, read(file)).stream())
        .toList();
  }

  private static List<Path> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// All there is of it, whatever the indentation, and without what only our build wants.
  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(HowToTest::plain).toList();
  }

  private static String plain(MatchResult found) {
    return found
        .group(1)
        .lines()
        .map(String::strip)
        .filter(line -> !line.startsWith("///") && !line.startsWith("@SuppressWarnings"))
        .collect(Collectors.joining("\n"))
        .strip();
  }
}
