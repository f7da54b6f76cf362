// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.heddle.evidence.conformance.TaggedTests;
import dev.heddle.evidence.mutants.TestRun.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every committed mutant is caught by the tests it names.
class MutantsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10); // with a test that is to pass
  private static final Duration HANG = Duration.ofSeconds(5); // many times what a named test takes
  private static final Duration SURE_HANG = Duration.ofSeconds(20); // also on a busy machine
  private static final int TRIES = 3; // races need not show at once
  private static final int BLUNT = 3; // hangs; a mutant that hangs more says little about each test

  @TempDir Path folder;

  @Test
  void mutant_each_fitsTheSources() {
    List<Mutant> mutants = Mutant.all();
    assertThat(mutants).isNotEmpty().allMatch(m -> !m.says().isEmpty() && !m.catchers().isEmpty());
    List<String> complaints = new ArrayList<>();
    for (Mutant mutant : mutants) {
      try {
        mutant.apply();
      } catch (IllegalStateException e) {
        complaints.add(e.getMessage());
      }
    }
    assertThat(complaints).as("mutants that the code has left behind").isEmpty();
  }

  /// A mutant that a renamed variable has left behind proves nothing, and only the full run would
  /// find it.
  @Test
  void mutants_allOfThem_compile() throws Exception {
    List<String> complaints = new ArrayList<>();
    try (var compiler = new MutantCompiler()) {
      for (Mutant mutant : Mutant.all()) {
        String complaint = compiler.complaints(mutant);
        if (!complaint.isEmpty()) {
          complaints.add(mutant + " does not compile:\n" + complaint);
        }
      }
    }
    assertThat(complaints).isEmpty();
  }

  /// Else the full run ends before it has begun.
  @Test
  void testClasses_ofAllModulesThatMutantsChange_haveNamesOfTheirOwn() {
    assertThatCode(() -> new TestRun().close()).doesNotThrowAnyException();
  }

  /// Budget: 3 s for each mutant on two cores, all included. `mutants.only` limits it to the
  /// mutants whose names match.
  @Test
  @Tag("full")
  void mutant_each_isCaughtByTheTestsItNames() throws Exception {
    String only = System.getProperty("mutants.only", ".*");
    List<Mutant> mutants = Mutant.all().stream().filter(m -> m.name().matches(only)).toList();
    assertThat(mutants).as("mutants whose names match " + only).isNotEmpty();
    Set<TestName> named =
        mutants.stream().flatMap(m -> m.catchers().stream()).collect(Collectors.toSet());
    List<String> complaints = new ArrayList<>();
    try (var compiler = new MutantCompiler();
        var run = new TestRun()) {
      Map<TestName, Verdict> sound = run.run(null, named, PATIENCE, 1);
      assertThat(failing(sound)).as("tests that mutants name, and that fail without any").isEmpty();
      assertThat(sound.keySet()).as("tests that ran").containsAll(named);
      for (Mutant mutant : mutants) {
        Path classes = folder.resolve(mutant.name());
        compiler.compile(mutant, classes);
        Set<TestName> blind = new TreeSet<>(mutant.catchers());
        for (int i = 0; i < TRIES && !blind.isEmpty(); i++) {
          blind.removeAll(catching(run, classes, blind));
        }
        if (mutant.catchers().isEmpty() || !blind.isEmpty()) {
          complaints.add(mutant + " is not caught by " + blind);
          System.out.println(complaints.getLast());
        }
      }
    }
    assertThat(complaints)
        .as(
            "Mutants that survive: mend the test, or measure again with -Dmutants.measure=NAME"
                + " (tests/evidence/README.md)")
        .isEmpty();
  }

  /// Tests that fail or hang under a mutant. A hang counts if it repeats and lasts: on a slow
  /// machine a test may just take long.
  private static Set<TestName> catching(TestRun run, Path classes, Set<TestName> tests)
      throws Exception {
    Map<TestName, Verdict> once = run.run(classes, tests, HANG, Integer.MAX_VALUE);
    Set<TestName> caught = failing(once);
    Set<TestName> hung = new TreeSet<>(caught);
    hung.removeIf(test -> once.get(test) != Verdict.HUNG);
    caught.removeAll(hung);
    caught.addAll(failing(run.run(classes, hung, SURE_HANG, Integer.MAX_VALUE)));
    return caught;
  }

  private static Set<TestName> failing(Map<TestName, Verdict> verdicts) {
    return verdicts.entrySet().stream()
        .filter(e -> e.getValue().isCatch())
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Does nothing unless asked to: runs the tests of the module, or those that match
  /// `mutants.among`, under each mutant whose name matches `mutants.measure`, and writes those that
  /// hung or failed twice into its file.
  @Test
  void catchers_measuredOnDemand_areWrittenDown() throws Exception {
    String pattern = System.getProperty("mutants.measure", "");
    String among = System.getProperty("mutants.among", ".*");
    List<Mutant> chosen = Mutant.all().stream().filter(m -> m.name().matches(pattern)).toList();
    if (chosen.isEmpty()) {
      return;
    }
    for (String module : Mutant.MODULES) {
      List<Mutant> its = chosen.stream().filter(m -> m.module().equals(module)).toList();
      if (!its.isEmpty()) {
        measure(its, TaggedTests.of(module), among);
      }
    }
  }

  private void measure(List<Mutant> chosen, List<TestName> tests, String among) throws Exception {
    try (var compiler = new MutantCompiler();
        var run = new TestRun()) {
      List<TestName> all =
          tests.stream().filter(run::knows).filter(t -> t.toString().matches(among)).toList();
      Map<TestName, Verdict> sound = run.run(null, all, PATIENCE, Integer.MAX_VALUE);
      List<TestName> passing = all.stream().filter(t -> sound.get(t) == Verdict.PASSED).toList();
      System.out.println("fail without a mutant, left out: " + failing(sound));
      for (Mutant mutant : chosen) {
        Path classes = folder.resolve(mutant.name());
        compiler.compile(mutant, classes);
        Map<TestName, Verdict> once = run.run(classes, passing, SURE_HANG, BLUNT);
        Set<TestName> caught = failing(once);
        Set<TestName> failed = new TreeSet<>(caught);
        failed.removeIf(test -> once.get(test) == Verdict.HUNG);
        failed.removeAll(failing(run.run(classes, failed, SURE_HANG, BLUNT)));
        caught.removeAll(failed);
        // who was not asked still counts
        mutant.catchers().stream().filter(t -> !passing.contains(t)).forEach(caught::add);
        mutant.commit(caught);
        Set<TestName> hung = new TreeSet<>(caught);
        hung.removeIf(test -> once.get(test) != Verdict.HUNG);
        System.out.println(
            mutant + " is caught by " + caught.size() + ": " + caught + "; of these hung: " + hung);
      }
    }
  }
}
