// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.rounds.ResultsFolder;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs of several commits, some thorough and some not, are one page.
@SuppressWarnings("NullAway.Init") // set before each test
class ReportTest {
  private static final Revision NOW = new Revision("0123456789abcdef", "");
  private static final Revision EARLIER = new Revision("123456789abcdef0", "");
  private static final Revision OLDEST = new Revision("23456789abcdef01", "");

  @TempDir private Path home;
  private final Shape first = named("channel"); // of three cases
  private final Shape second = named("await-one");

  @Test
  void page_hasTheFullRunOfAShape_elseItsQuickOne() throws IOException {
    ran("quick", first, first.cases());
    ran("full", first, first.cases());
    ran("quick", second, second.cases());

    String page = page();

    assertThat(section(page, first)).contains("Full run: ", "./heddle bench " + first.name());
    assertThat(section(page, second))
        .contains("Quick run: ", "./heddle bench --quick " + second.name());
  }

  @Test
  void page_fullRunThatIsNotOver_isNotShownInPlaceOfAQuickOne() throws IOException {
    ran("quick", first, first.cases());
    ran("full", first, first.cases().subList(0, 1));

    assertThat(section(page(), first)).contains("Quick run: ").doesNotContain("Not measured");
  }

  @Test
  void page_shapeThatThisCommitHasNotMeasured_isThatOfTheNewestBefore() throws IOException {
    ran(OLDEST, "full", first, first.cases());
    ran(EARLIER, "full", first, first.cases());
    ran(EARLIER, "full", second, second.cases());
    ran("full", second, second.cases());

    String page = page();

    assertThat(section(page, first)).contains("Measured at " + EARLIER.name() + ". Full");
    assertThat(section(page, second)).contains("Measured at " + NOW.name() + ". Full");
  }

  @Test
  void page_fullRunOfAnEarlierCommit_isShownInPlaceOfAQuickOne() throws IOException {
    ran(EARLIER, "full", first, first.cases());
    ran("quick", first, first.cases());

    assertThat(section(page(), first)).contains("Measured at " + EARLIER.name() + ". Full");
  }

  @Test
  void page_fullRunThatIsNotOver_isShownWhereThereIsNoOther() throws IOException {
    ran("full", first, first.cases().subList(0, 1));

    assertThat(section(page(), first)).contains("Full run: ", "Not measured yet.");
  }

  private static Shape named(String name) {
    return Shapes.all().stream()
        .filter(shape -> shape.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private String page() throws IOException {
    var revisions = List.of(NOW, EARLIER, OLDEST);
    var report = new Report(home, home.resolve("rounds"), revisions, Machine.here(), Effort.full());
    return Files.readString(report.write());
  }

  private void ran(String effort, Shape shape, List<Case> cases) throws IOException {
    ran(NOW, effort, shape, cases);
  }

  private void ran(Revision revision, String effort, Shape shape, List<Case> cases)
      throws IOException {
    Path rounds = home.resolve("rounds").resolve(revision.name()).resolve(effort);
    RoundLog log = new ResultsFolder(rounds).log(shape);
    log.started("heddle", "Java 25");
    for (Case size : cases) {
      for (int i = 0; i < 3; i++) {
        log.add(Made.round(size.name(), HostLoad.NONE, 100, "heddle"));
      }
      log.done(size.name());
    }
  }

  private static String section(String page, Shape shape) {
    String from = page.substring(page.indexOf("\n## " + shape.name() + "\n"));
    int next = from.indexOf("\n## ", 1);
    return next < 0 ? from : from.substring(0, next);
  }
}
