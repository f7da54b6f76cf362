// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
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
  private final List<String> told = new ArrayList<>();
  private final Shape first = named("channel"); // of three cases
  private final Shape second = named("await-one");

  @Test
  void page_hasTheFullRunOfAShape_elseItsQuickOne() throws IOException {
    ran("quick", first, first.cases());
    ran("full", first, first.cases());
    ran("quick", second, second.cases());

    String page = page();

    assertThat(section(page, first)).contains("Full run.", "./heddle bench " + first.name());
    assertThat(section(page, second))
        .contains("Quick run.", "./heddle bench --quick " + second.name());
  }

  @Test
  void page_fullRunThatIsNotOver_isNotShownInPlaceOfAQuickOne() throws IOException {
    ran("quick", first, first.cases());
    ran("full", first, first.cases().subList(0, 1));

    assertThat(section(page(), first)).contains("Quick run.").doesNotContain("Not measured");
  }

  @Test
  void page_shapeThatThisCommitHasNotMeasured_isThatOfTheNewestBefore() throws IOException {
    ran(OLDEST, "full", first, first.cases());
    ran(EARLIER, "full", first, first.cases());
    ran(EARLIER, "full", second, second.cases());
    ran("full", second, second.cases());

    String page = page();

    assertThat(section(page, first))
        .contains("Measured at " + EARLIER.name() + ", 2026-11-28, on here. Full");
    assertThat(section(page, second))
        .contains("Measured at " + NOW.name() + ", 2026-11-28, on here. Full");
  }

  @Test
  void page_fullRunOfAnEarlierCommit_isShownInPlaceOfAQuickOne() throws IOException {
    ran(EARLIER, "full", first, first.cases());
    ran("quick", first, first.cases());

    assertThat(section(page(), first))
        .contains("Measured at " + EARLIER.name() + ", 2026-11-28, on here. Full");
  }

  @Test
  void page_fullRunThatIsNotOver_isShownWhereThereIsNoOther() throws IOException {
    ran("full", first, first.cases().subList(0, 1));

    assertThat(section(page(), first)).contains("Full run.", "Not measured yet.");
  }

  @Test
  void page_contenderThatHadOtherFlagsThen_hasNoFigureOfThatRun() throws IOException {
    var flagged =
        first.contenders().stream()
            .map(it -> it.name().equals("heddle-launcher") ? flagged(it, List.of("-Xint")) : it)
            .toList();
    ran(EARLIER, "full", changed(first.what(), first.cases(), flagged), first.cases());

    assertThat(section(page(), first))
        .contains(
            "| heddle-launcher | **missing**: measured with other flags, or as another program |")
        .contains("| heddle | 100 |");
  }

  /// A page that was written on another processor than its rounds lost all figures of the launcher.
  @Test
  void page_contenderThatHadTheFlagOfAnotherProcessor_hasItsFigures() throws IOException {
    var flagged =
        first.contenders().stream()
            .map(it -> it.name().equals("heddle-launcher") ? flagged(it, onAvx512(it)) : it)
            .toList();
    ran(EARLIER, "full", changed(first.what(), first.cases(), flagged), first.cases());

    Contender launcher =
        flagged.stream()
            .filter(it -> it.name().equals("heddle-launcher"))
            .findFirst()
            .orElseThrow();
    assertThat(section(page(), first))
        .contains("| heddle-launcher | 100 |", "`" + String.join(" ", launcher.flags()) + "`")
        .doesNotContain("other flags");
  }

  private static List<String> onAvx512(Contender launcher) {
    var flags = new ArrayList<>(launcher.flags());
    if (!flags.remove("-XX:UseAVX=2")) {
      flags.add(flags.size() - 1, "-XX:UseAVX=2");
    }
    return flags;
  }

  @Test
  void page_caseThatHadAnotherSizeThen_isNotMeasuredYet() throws IOException {
    Case resized = first.cases().getFirst().sized(12_345);
    var cases = new ArrayList<>(first.cases());
    cases.set(0, resized);
    ran("full", changed(first.what(), cases, first.contenders()), cases);

    assertThat(section(page(), first))
        .contains("### " + resized.name() + "\n\nNot measured yet.", "| heddle | 100 |");
  }

  @Test
  void page_shapeThatWasSomethingElseThen_orNobodyKnowsWhat_isNotShown() throws IOException {
    Shape other = changed("Something else.", first.cases(), first.contenders());
    ran(EARLIER, "full", other, first.cases());
    unknown(EARLIER, second);

    String page = page();

    assertThat(page).contains("Not measured yet: ").doesNotContain("| heddle | 100 |");
    assertThat(told).hasSize(2).allMatch(line -> line.contains("left out"));
    assertThat(told).anySatisfy(line -> assertThat(line).contains(first.name(), EARLIER.name()));
  }

  @Test
  void page_roundsThatCannotBeRead_areLeftOutByName() throws IOException {
    ran(OLDEST, "full", first, first.cases());
    Files.writeString(file(EARLIER, "full", first), "name\tvalue\n");

    assertThat(section(page(), first)).contains("Measured at " + OLDEST.name());
    assertThat(told).singleElement().asString().contains(file(EARLIER, "full", first).toString());
  }

  @Test
  void page_leavesTheRoundsOfARunThatGoesOn() throws IOException {
    ran(EARLIER, "full", first, first.cases());
    Path file = file(EARLIER, "full", first);
    Files.writeString(file, "sample\tchannel-0\theddle\t1", StandardOpenOption.APPEND);
    String before = Files.readString(file);

    assertThat(section(page(), first)).contains("Measured at " + EARLIER.name());
    assertThat(file).content().isEqualTo(before);
  }

  @Test
  void measure_afterRoundsOnAnotherMachine_isRefused() throws IOException {
    ran("full", second, second.cases());

    assertThatThrownBy(() -> report().measure(second, told::add))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("machine", "remove the file", second.name() + ".tsv");
  }

  private static Shape named(String name) {
    return Shapes.all().stream()
        .filter(shape -> shape.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Contender flagged(Contender it, List<String> flags) {
    return new Contender(it.name(), it.what(), flags, it.needs(), it.work(), it.only(), it.build());
  }

  private Shape changed(String what, List<Case> cases, List<Contender> contenders) {
    return new Shape(first.name(), what, cases, contenders, List.of());
  }

  private String page() throws IOException {
    return Files.readString(report().write(told::add));
  }

  private Report report() {
    var revisions = List.of(NOW, EARLIER, OLDEST);
    return new Report(home, rounds(), revisions, Machine.here(), Effort.full());
  }

  private Path rounds() {
    return home.resolve("rounds");
  }

  private Path file(Revision revision, String effort, Shape shape) throws IOException {
    Path folder = rounds().resolve(revision.name()).resolve(effort);
    return Files.createDirectories(folder).resolve(shape.name() + ".tsv");
  }

  private void ran(String effort, Shape shape, List<Case> cases) throws IOException {
    ran(NOW, effort, shape, cases);
  }

  private void ran(Revision revision, String effort, Shape shape, List<Case> cases)
      throws IOException {
    RoundLog log = RoundLog.inFile(file(revision, effort, shape));
    log.begin(shape, "here", effort.equals("full") ? "Full run." : "Quick run.");
    measured(log, cases);
  }

  /// As runs were kept at first.
  private void unknown(Revision revision, Shape shape) throws IOException {
    measured(RoundLog.inFile(file(revision, "full", shape)), shape.cases());
  }

  private static void measured(RoundLog log, List<Case> cases) {
    log.started("heddle", "Java 25");
    for (Case size : cases) {
      for (int i = 0; i < 3; i++) {
        log.add(Made.round(size.name(), HostLoad.NONE, 100, "heddle", "heddle-launcher"));
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
