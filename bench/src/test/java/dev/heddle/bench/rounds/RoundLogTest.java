// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import static dev.heddle.bench.rounds.Made.BUSY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a run has written, read by the next one.
@SuppressWarnings("NullAway.Init") // set before each test
class RoundLogTest {
  private static final Round QUIET = Made.round("a", HostLoad.NONE, 100, "heddle", "peer");
  private static final Round LOADED = Made.round("a", BUSY, 300, "heddle", "peer");

  @TempDir private Path folder;
  private Path file;
  private final Shape shape = Made.shape(List.of("a", "b"), "heddle", "peer");

  @BeforeEach
  void name() {
    file = folder.resolve("made-up.tsv");
  }

  @Test
  void nextRun_readsWhatTheLastOneWrote() throws IOException {
    RoundLog written = RoundLog.inFile(file);
    written.started("heddle", "Java 25,\twith a tab\nand more");
    written.source("heddle", "dev.heddle.Made");
    written.missing("peer", "not on the PATH");
    written.add(QUIET);
    written.add(LOADED);
    written.done("a");

    RoundLog read = RoundLog.inFile(file);

    assertThat(read.rounds("a")).containsExactly(QUIET, LOADED);
    assertThat(read.rounds("b")).isEmpty();
    assertThat(read.missing("peer")).contains("not on the PATH");
    ShapeResult result = read.result(shape);
    assertThat(result.runtimes()).containsEntry("heddle", "Java 25, with a tab and more");
    assertThat(result.sources()).containsEntry("heddle", List.of("dev.heddle.Made"));
    assertThat(result).isEqualTo(written.result(shape));
  }

  @Test
  void killedRun_leavesWholeRoundsAndNoPieces() throws IOException {
    RoundLog.inFile(file).add(QUIET);
    String whole = Files.readString(file);
    String pieces = "sample\ta\theddle\t1\t100\t100\nsample\ta\tpeer\t1\t7";
    Files.writeString(file, pieces, StandardOpenOption.APPEND);

    RoundLog next = RoundLog.inFile(file);
    assertThat(next.rounds("a")).containsExactly(QUIET);
    next.started("heddle", "again");
    next.add(LOADED);

    assertThat(RoundLog.inFile(file).rounds("a")).containsExactly(QUIET, LOADED);
    assertThat(Files.readString(file)).startsWith(whole).doesNotContain("\t7runtime");
  }

  @Test
  void setup_isKept_andAnotherOneIsRefused() throws IOException {
    RoundLog.inFile(file).begin(shape, "here", "Full run.");
    RoundLog log = RoundLog.inFile(file);
    log.begin(shape, "here", "Full run.");
    log.add(QUIET);

    assertThat(RoundLog.copyOf(file).isOf(shape)).isTrue();
    assertThat(RoundLog.copyOf(file).machine()).isEqualTo("here", "Full run.");
    assertThat(Files.readString(file)).containsOnlyOnce("setup\tmachine\there\n");
    assertThatThrownBy(() -> log.begin(shape, "there", "Full run."))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("machine", "made-up.tsv");
    assertThatThrownBy(() -> log.begin(resized(), "here", "Full run."))
        .hasMessageContaining("case a");
  }

  @Test
  void setup_isNotGuessedForRoundsThatHaveNone() throws IOException {
    RoundLog log = RoundLog.inFile(file);
    log.add(QUIET);

    assertThatThrownBy(() -> log.begin(shape, "here", "Full run.")).isInstanceOf(IOException.class);
    assertThat(log.isOf(shape)).isFalse();
  }

  @Test
  void result_hasNothingThatWasMeasuredOtherwise() throws IOException {
    RoundLog log = RoundLog.inFile(file);
    log.begin(resized(), "here", "Full run.");
    log.started("heddle", "Java 25");
    log.started("peer", "Java 24");
    log.add(QUIET);
    log.add(Made.round("b", HostLoad.NONE, 100, "heddle", "peer"));

    ShapeResult result = log.result(shape);

    assertThat(result.isMeasured(shape.caseNamed("a"))).isFalse();
    assertThat(result.has("b", "heddle")).isTrue();
    assertThat(result.has("b", "peer")).isFalse();
    assertThat(result.runtimes()).containsOnlyKeys("heddle");
  }

  /// The case `a` is larger, and `peer` is of another kind.
  private Shape resized() {
    Contender peer = Made.contender("peer");
    var other =
        new Contender(
            "peer", "another", List.of(), List.of(), peer.work(), List.of(), Optional.empty());
    return new Shape(
        shape.name(),
        shape.what(),
        List.of(shape.caseNamed("a").sized(2), shape.caseNamed("b")),
        List.of(shape.contender("heddle"), other),
        List.of());
  }

  @Test
  void contenderThatStartsAgain_isNotMissing() throws IOException {
    RoundLog log = RoundLog.inFile(file);
    log.missing("peer", "its build failed");
    log.started("peer", "Go 1.26");

    assertThat(log.missing("peer")).isEmpty();
    assertThat(RoundLog.inFile(file).missing("peer")).isEmpty();
  }

  @Test
  void complete_onlyWithEveryCaseDone() {
    RoundLog log = RoundLog.inMemory();
    log.add(QUIET);
    log.done("a");
    assertThat(log.isComplete(shape)).isFalse();

    log.done("b");
    assertThat(log.isComplete(shape)).isTrue();
  }

  @Test
  void complete_notBesideLoad() {
    RoundLog log = RoundLog.inMemory();
    log.add(QUIET);
    log.add(LOADED);
    log.done("a");

    assertThat(log.isComplete(shape.caseNamed("a"))).isFalse();
    log.add(QUIET);
    log.add(QUIET);
    assertThat(log.isComplete(shape.caseNamed("a"))).isTrue();
  }

  @Test
  void result_contenderThatLeft_isMissingWithItsReason() {
    RoundLog log = RoundLog.inMemory();
    log.add(QUIET);
    log.missing("peer", "it ended");
    log.add(Made.round("a", HostLoad.NONE, 100, "heddle"));

    ShapeResult result = log.result(shape);

    assertThat(result.has("a", "heddle")).isTrue();
    assertThat(result.has("a", "peer")).isFalse();
    assertThat(result.lines().get(1).missing()).isEqualTo("it ended");
  }

  @Test
  void fileOfSomethingElse_isRefusedByName() throws IOException {
    Files.writeString(file, "name\tvalue\n");

    assertThatThrownBy(() -> RoundLog.inFile(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("made-up.tsv")
        .hasMessageContaining("remove the file");
  }

  @Test
  void folder_knowsAShapeFromItsFirstRoundOn() throws IOException {
    var results = new ResultsFolder(folder.resolve("commit").resolve("full"));
    assertThat(results.known(shape)).isEmpty();

    RoundLog log = results.log(shape);
    log.add(QUIET);
    log.done("a");
    assertThat(results.known(shape))
        .hasValueSatisfying(it -> assertThat(it.isComplete(shape)).isFalse());

    log.done("b");
    assertThat(results.known(shape))
        .hasValueSatisfying(it -> assertThat(it.isComplete(shape)).isTrue());
  }
}
