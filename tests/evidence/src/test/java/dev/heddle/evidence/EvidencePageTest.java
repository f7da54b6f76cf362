// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.evidence.mutants.Mutant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The table of `tests/evidence/README.md` has a row for each stress test and each test with
/// Lincheck, and names the mutants of each. The names of test classes are what mutants know them
/// by.
class EvidencePageTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(\\w+(?:Stress|LincheckTest))` \\|[^|]*\\|([^|]*)\\|$");
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*)`");

  /// A nested class of a stress test that jcstress runs.
  private static final Pattern STRESSED =
      Pattern.compile("(?s)@JCStressTest.*?public static (?:final )?class (\\w+)");

  private static Stream<Path> sources(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    }
  }

  private static String typeOf(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  private static Map<String, Set<String>> described() throws IOException {
    Map<String, Set<String>> rows = new TreeMap<>();
    String page = Files.readString(ROOT.resolve("tests/evidence/README.md"));
    for (MatchResult row : ROW.matcher(page).results().toList()) {
      assertThat(rows.put(row.group(1), names(NAME, row.group(2))))
          .as("a second row of " + row.group(1))
          .isNull();
    }
    return rows;
  }

  private static Set<String> names(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, Set<String>> there() throws IOException {
    Map<String, Set<String>> classes = new TreeMap<>();
    for (Path file : sources("tests/evidence/src/test/java").toList()) {
      String type = typeOf(file);
      if (type.endsWith("Stress") || type.endsWith("LincheckTest")) {
        Set<String> mutants = names(STRESSED, Files.readString(file));
        mutants.removeIf(name -> name.startsWith("Model") || name.startsWith("Real"));
        classes.put(type, mutants);
      }
    }
    return classes;
  }

  @Test
  void table_ofLockFreeParts_hasARowForEachClass_withItsMutants() throws IOException {
    assertThat(described())
        .as("the rows of the table in tests/evidence/README.md, each with the mutants of its class")
        .isEqualTo(there());
  }

  @Test
  void testClasses_ofModulesWithMutants_haveNamesOfTheirOwn() throws IOException {
    Set<String> names = new TreeSet<>();
    List<String> twice = new ArrayList<>();
    for (String module : Mutant.MODULES) {
      sources(module + "/src/test/java")
          .map(EvidencePageTest::typeOf)
          .filter(type -> type.endsWith("Test") && !names.add(type))
          .forEach(twice::add);
    }
    assertThat(twice)
        .as("test classes of one name: a mutant knows its tests by that, so rename one")
        .isEmpty();
  }
}
