// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.bench.fork.RoundsProcess;
import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.rounds.Made;
import dev.heddle.bench.rounds.RoundLog;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Contender.Build;
import dev.heddle.bench.shape.Metric;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The command line, and contenders that cannot take part.
class BenchMainTest {
  private static final String[] AGAINST_ALL = {
    "--against", "abc", "--against-class-path", "there/*", "all"
  };

  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private final ByteArrayOutputStream words = new ByteArrayOutputStream();
  private final BenchMain bench = new BenchMain(stream(lines), stream(words));

  @Test
  void list_namesEveryShapeAndContender() throws IOException {
    int status = bench.run("--list");

    assertThat(status).isZero();
    String text = lines.toString(StandardCharsets.UTF_8);
    for (Shape shape : Shapes.all()) {
      assertThat(text).contains(shape.name() + "\t" + shape.what() + "\tabout ");
      shape.contenders().forEach(c -> assertThat(text).contains("\t" + c.name() + "\t"));
    }
  }

  @Test
  void list_saysHowLongAShapeTakes_longerWhereRoundsLastAFixedTime() throws IOException {
    bench.run("--list");

    List<String> named = lines.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(named).anyMatch(line -> line.matches("switch\t.*\tabout 4 min"));
    assertThat(named)
        .anyMatch(line -> line.matches("tails-echo\t.*\tabout ([5-9]|[1-9][0-9]) min"));
  }

  @Test
  void unknownShape_isAUsageErrorThatNamesTheShapes() throws IOException {
    int status = bench.run("swich");

    assertThat(status).isEqualTo(2);
    assertThat(words.toString(StandardCharsets.UTF_8)).contains("swich", "spawn-batch", "Usage");
    assertThat(lines.size()).isZero();
  }

  @Test
  void nothingNamed_isAUsageError() throws IOException {
    assertThat(bench.run("--quick")).isEqualTo(2);
  }

  @Test
  void caseNamed_runsThisCaseAlone_withItsBars() {
    Options options = Options.of("--quick", "switch-1000");

    Shape shape = options.shapes().getFirst();
    assertThat(shape.name()).isEqualTo("switch");
    assertThat(shape.cases()).extracting(Case::name).containsExactly("switch-1000");
    assertThat(shape.bars()).isNotEmpty().allMatch(bar -> bar.row().equals("switch-1000"));
  }

  @Test
  void partOfAPeak_runsWithThePeak() {
    Shape shape = Options.of("tails-echo-25").shapes().getFirst();

    assertThat(shape.cases())
        .extracting(Case::name)
        .containsExactly("tails-echo-peak", "tails-echo-25");
    assertThat(shape.cases().getLast().share().orElseThrow().of(1_001)).isEqualTo(250);
  }

  @Test
  void against_withoutTheLauncher_isAUsageError() throws IOException {
    assertThat(bench.run("--against", "HEAD", "switch")).isEqualTo(2);
    assertThat(words.toString(StandardCharsets.UTF_8)).contains("--against needs the launcher");
  }

  @Test
  void starts_areThoseAsked_andElseEight() {
    assertThat(Options.of(AGAINST_ALL).starts()).isEqualTo(8);
    assertThat(Options.of(with(AGAINST_ALL, "--starts", "40")).starts()).isEqualTo(40);
  }

  @ParameterizedTest
  @ValueSource(strings = {"6", "-8", "many", ""})
  void starts_tooFewToTellAnything_isAUsageError(String starts) throws IOException {
    assertThat(bench.run(with(AGAINST_ALL, "--starts", starts))).isEqualTo(2);
    assertThat(words.toString(StandardCharsets.UTF_8))
        .contains("--starts needs a number of 7 or more, not '" + starts + "'", "Usage");
  }

  @Test
  void starts_withoutAnotherCommit_isAUsageError() throws IOException {
    assertThat(bench.run("--starts", "40", "switch")).isEqualTo(2);
    assertThat(words.toString(StandardCharsets.UTF_8)).contains("--starts is for --against REV");
  }

  @Test
  void json_ofAComparison_isAUsageError() throws IOException {
    assertThat(bench.run(with(AGAINST_ALL, "--json", "there"))).isEqualTo(2);
    assertThat(words.toString(StandardCharsets.UTF_8))
        .contains("--json and --against do not go together");
  }

  private static String[] with(String[] arguments, String... more) {
    return Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new);
  }

  @Test
  void against_hasOursTwice_andNobodyElse() {
    Shape shape = Against.both(Shapes.all().getFirst(), new Build("abc", "there/*"), true);

    assertThat(shape.contenders())
        .extracting(Contender::name)
        .containsExactly("heddle@abc", "heddle", "heddle-launcher@abc", "heddle-launcher");
  }

  @Test
  void interruptedRun_goesOn_andACompleteOneMeasuresNothing() {
    Shape shape = Made.shape(List.of("a", "b"), "absent");
    var asked = new AtomicInteger();
    Contender absent =
        shape
            .contender("absent")
            .needing(() -> {
              asked.incrementAndGet();
              return Optional.of("not there");
            });
    Shape run = new Shape(shape.name(), shape.what(), shape.cases(), List.of(absent), List.of());
    RoundLog log = RoundLog.inMemory();
    log.add(Made.round("a", HostLoad.NONE, 100, "absent"));
    log.done("a");

    ShapeResult result = Driver.run(run, Effort.tinyRound(), log, _ -> {});
    assertThat(log.rounds("a")).hasSize(1);
    assertThat(log.rounds("b")).isNotEmpty();
    assertThat(result.has("a", "absent")).isTrue();

    Driver.run(run, Effort.tinyRound(), log, _ -> {});
    assertThat(asked).hasValue(1);
  }

  @Test
  void contender_classNotThere_isMissingWithItsReason() {
    Contender absent =
        Contender.of("absent", "not there", List.of(), BenchMainTest::noProgram)
            .needing("no.such.Library");
    Shape shape =
        new Shape(
            "made-up",
            "nothing",
            List.of(Case.of("made-up", "nothing", 1, RoundSize.fixed(1, 1), Metric.WALL)),
            List.of(absent),
            List.of());

    ShapeResult result = Driver.run(shape, Effort.tinyRound(), _ -> {});

    assertThat(result.lines().getFirst().text()).isEqualTo("made-up\tabsent\tmissing\t-\t-\tns\t-");
    assertThat(result.lines().getFirst().missing()).contains("no.such.Library");
  }

  @Test
  void fork_flagThatNoJvmKnows_failsWithTheJvmsOwnWords() {
    Shape known = Shapes.all().getFirst();
    Contender broken =
        Contender.of(
            known.contenders().getFirst().name(),
            "",
            List.of("-XX:+NoSuchFlag"),
            BenchMainTest::noProgram);

    assertThat(catchThrowable(() -> RoundsProcess.start(known, broken)))
        .hasMessageContaining("its process ended: ")
        .hasMessageContaining("NoSuchFlag");
  }

  private static Program noProgram(Case size) {
    throw new UnsupportedOperationException(size.name());
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }
}
