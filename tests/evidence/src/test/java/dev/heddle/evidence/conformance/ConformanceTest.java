// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.evidence.conformance.TaggedTests.Tagged;
import dev.heddle.evidence.mutants.Mutant;
import dev.heddle.evidence.mutants.TestName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The page about promises, tests and mutants says what the sources say.
class ConformanceTest {
  private static final Path PAGE =
      Path.of(System.getProperty("heddle.root"), "docs/explanation/conformance.md");

  /// Tags that are no promises: they say when a test runs.
  private static final Set<String> OTHERS = Set.of("full", "once", "agent");

  private final List<Tagged> tests =
      Stream.of(
              "core",
              "netty",
              "process",
              "cluster",
              "cluster-ratis",
              "context",
              "metrics",
              "testkit/world",
              "testkit/test",
              "cli",
              "tests/evidence",
              "examples")
          .flatMap(module -> TaggedTests.in(module).stream())
          .toList();

  private static Set<String> promised() {
    return Promise.all().stream().map(Promise::id).collect(Collectors.toSet());
  }

  @Test
  void page_ofTheseSources_isTheCommittedOne() throws IOException {
    String now = new ConformancePage(tests, Mutant.all()).render();
    if (Boolean.getBoolean("conformance.update")) {
      Files.writeString(PAGE, now);
    }
    assertThat(now)
        .as(
            "docs/explanation/conformance.md is not what tags, promises and mutants make. Write it"
                + " with `./mvnw -pl"
                + " core,process,cluster,netty,context,metrics,testkit/world,testkit/test,tests/evidence"
                + " test -Dgates=off -Dtest=ConformanceTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dconformance.update=true`")
        .isEqualTo(Files.exists(PAGE) ? Files.readString(PAGE) : "");
  }

  @Test
  void tag_each_isKnown() {
    Set<String> known = new HashSet<>(promised());
    known.addAll(OTHERS);
    assertThat(tests.stream().filter(test -> !known.containsAll(test.tags())))
        .as("tests with a tag that docs/explanation/promises.txt does not explain")
        .isEmpty();
  }

  @Test
  void promise_notApplicable_isAPromiseWithoutTests() {
    Set<String> excluded = Promise.notApplicable().keySet();
    assertThat(promised()).containsAll(excluded);
    assertThat(tests.stream().filter(t -> t.tags().stream().anyMatch(excluded::contains)))
        .as("tests of what docs/explanation/not-applicable.txt says does not apply")
        .isEmpty();
  }

  @Test
  void catcher_ofEachMutant_isATest() {
    Set<TestName> names = tests.stream().map(Tagged::name).collect(Collectors.toSet());
    assertThat(Mutant.all().stream().filter(mutant -> !names.containsAll(mutant.catchers())))
        .as("mutants whose catchers are no tests (any more)")
        .isEmpty();
  }
}
