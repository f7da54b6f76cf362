// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// No two public types have the same simple name, in whichever module: a program that uses both
/// needs the full name of one, and a reader takes one for the other.
@Tag("once")
class TypeNamesTest {
  private static final Pattern TYPE =
      Pattern.compile(
          "(?m)^  (?=\\S)(?:[a-z-]+ )*(?:class|interface|record|enum|annotation) (\\w+)(?![\\w.])");

  private static List<String> twice(String apis) {
    TreeSet<String> names = new TreeSet<>();
    return TYPE.matcher(apis)
        .results()
        .map(type -> type.group(1))
        .filter(name -> !names.add(name))
        .toList();
  }

  @Test
  void publicTypes_haveDifferentSimpleNames() throws IOException {
    StringBuilder apis = new StringBuilder();
    try (Stream<Path> texts = Files.list(Path.of(System.getProperty("heddle.root"), "api"))) {
      for (Path text : texts.filter(Files::isRegularFile).toList()) {
        apis.append(Files.readString(text));
      }
    }
    assertThat(apis).contains("class Backoff");
    assertThat(twice(apis.toString()))
        .as("simple names that two public types have: let one type do both, or rename one")
        .isEmpty();
  }

  @Test
  void simpleName_thatComesAgain_isFound() {
    String api =
        "  final class Door\n    int door()\n  record Door.Key\n  class Lock\n  record Door\n";
    assertThat(twice(api)).containsExactly("Door");
  }
}
