// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.rounds.ResultsFolder;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import dev.heddle.bench.shape.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which commits a work tree has, and what the page shows of them.
class RevisionTest {
  private static final Revision UNKNOWN = new Revision("", "");

  @TempDir private Path home;

  @Test
  void withoutGit_theRevisionIsUnknown() {
    List<Revision> found = Revision.withEarlier(new Revision.Git("no-such-git", home));

    assertThat(found).containsExactly(UNKNOWN);
    assertThat(found.getFirst().name()).isEqualTo("no-commit");
    assertThat(found.getFirst().text()).isEqualTo("unknown commit");
  }

  @Test
  void outsideOfARepository_theRevisionIsUnknown() {
    assertThat(Revision.withEarlier(home)).containsExactly(UNKNOWN);
  }

  @Test
  void commits_areThereNewestFirst_butForThoseOfDocuments() throws IOException {
    begin();
    String first = commit("core/Loop.java", "first");
    commit("docs/reference/benchmarks.md", "a page");
    commit("README.md", "words");
    commit("api/core.txt", "names");
    String second = commit("core/Loop.java", "second");
    commit("docs/reference/benchmarks.md", "another page");

    assertThat(Revision.withEarlier(home))
        .containsExactly(new Revision(second, ""), new Revision(first, ""));
    assertThat(Revision.withEarlier(home).getFirst().name()).isEqualTo(second.substring(0, 12));
    assertThat(Revision.withEarlier(home).getFirst().text()).isEqualTo("commit " + second);
  }

  @Test
  void changesThatAreNotCommitted_areARevisionOfTheirOwn() throws IOException {
    begin();
    String commit = commit("core/Loop.java", "first");
    write("core/Loop.java", "changed");
    Revision changed = Revision.withEarlier(home).getFirst();
    write("core/Loop.java", "changed again");
    Revision again = Revision.withEarlier(home).getFirst();
    write("core/Loop.java", "first");
    write("core/New.java", "not known to git");
    Revision added = Revision.withEarlier(home).getFirst();

    assertThat(List.of(changed, again, added)).extracting(Revision::commit).containsOnly(commit);
    assertThat(List.of("", changed.changes(), again.changes(), added.changes()))
        .doesNotHaveDuplicates();
    assertThat(changed.name()).isEqualTo(commit.substring(0, 12) + "-" + changed.changes());
    assertThat(changed.text()).endsWith(" with changes that are not committed");
    assertThat(Revision.withEarlier(home)).containsExactly(added, new Revision(commit, ""));
  }

  @Test
  void changesOfDocumentsAndIgnoredFiles_areNone() throws IOException {
    begin();
    String commit = commit("core/Loop.java", "first");
    write("docs/reference/benchmarks.md", "a page");
    write("README.md", "words");
    write(".heddle/bench/rounds.tsv", "ignored");

    assertThat(Revision.withEarlier(home)).containsExactly(new Revision(commit, ""));
  }

  @Test
  void page_hasWhatWasMeasuredOfTheNewestCommit_elseOfAnEarlierOne() throws IOException {
    Shape both = Shapes.find("await-one").orElseThrow();
    Shape earlierOnly = Shapes.find("await-two").orElseThrow();
    begin();
    String first = commit("core/Loop.java", "first");
    ran(first, both);
    ran(first, earlierOnly);
    String second = commit("core/Loop.java", "second");
    ran(second, both);
    commit("docs/words.md", "nothing that is measured");

    String page = Files.readString(Report.in(home, Machine.here(), Effort.full()).write(_ -> {}));

    assertThat(page).contains("Written at commit " + second);
    assertThat(section(page, both))
        .contains(
            "Measured at " + second.substring(0, 12) + ",", "](" + rounds(second, both) + ")");
    assertThat(section(page, earlierOnly)).contains("Measured at " + first.substring(0, 12) + ",");
  }

  private static String section(String page, Shape shape) {
    String from = page.substring(page.indexOf("\n## " + shape.name() + "\n"));
    int next = from.indexOf("\n## ", 1);
    return next < 0 ? from : from.substring(0, next);
  }

  /// The file of a full run, from the page.
  private static String rounds(String commit, Shape shape) {
    return "rounds/" + commit.substring(0, 12) + "/full/" + shape.name() + ".tsv";
  }

  private void ran(String commit, Shape shape) throws IOException {
    Path file = home.resolve("docs").resolve("reference").resolve(rounds(commit, shape));
    RoundLog log = new ResultsFolder(file.getParent()).log(shape);
    log.begin(shape, "here", "Full run.");
    log.started("heddle", "Java 25");
    for (Case size : shape.cases()) {
      log.add(Made.round(size.name(), HostLoad.NONE, 100, "heddle"));
      log.done(size.name());
    }
  }

  private void begin() throws IOException {
    assumeTrue(Tool.find("git").isPresent(), "git is not installed");
    git("init", "--quiet");
    git("config", "core.excludesFile", "/dev/null");
    write(".gitignore", ".heddle\n"); // a part of the first commit
  }

  private String commit(String file, String text) throws IOException {
    write(file, text);
    git("add", "--all");
    git("commit", "--quiet", "--message", file);
    return git("rev-parse", "HEAD").strip();
  }

  private void write(String file, String text) throws IOException {
    Path path = home.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  /// With no configuration but this: that of who runs the test may sign, or run hooks.
  private String git(String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.org",
                "-c",
                "commit.gpgSign=false",
                "-c",
                "core.hooksPath=/dev/null"));
    all.addAll(List.of(arguments));
    return new Revision.Git("git", home)
        .run(all)
        .orElseThrow(() -> new AssertionError("git failed: " + List.of(arguments)));
  }
}
