// SPDX-License-Identifier: Apache-2.0

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The programs in the pages run, and print what the pages say.
@Execution(ExecutionMode.CONCURRENT)
final class PagesTest {
  private static final Pattern PROGRAM =
      Pattern.compile(
          "(?s)```java\\n([^`]*?void main\\(\\)(?: throws \\w+)?"
              + " \\{[^`]*)```\\s*```text\\n(.*?)```");

  private static final Pattern REPORTED =
      Pattern.compile(
          "(?s)```java\\n([^`]*?void main\\(\\)(?: throws \\w+)?"
              + " \\{[^`]*)```\\s*```report\\n(.*?)```");

  private static final String OUR_IMPORT = "import dev.heddle.";

  private static final Pattern OURS = Pattern.compile("```java\\n" + Pattern.quote(OUR_IMPORT));

  /// What differs from run to run: a time, the identity of an object, a line of the JDK's.
  private static final Pattern VARIES =
      Pattern.compile("\\d+(\\.\\d)? m?s\\b|@\\p{XDigit}+|(?<=(?:Lock|Queue)\\.java:)\\d+");

  private static final Pattern TIME =
      Pattern.compile("(Thread\\.sleep\\(|Duration\\.of(?:Millis|Seconds)\\()([\\d_]+)\\)");

  private static final int SLOWER = 20; // times

  @TempDir private Path folder = Path.of("");

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ExampleProcess.root().resolve("docs"))) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  static Stream<Arguments> programs() throws IOException {
    return programs(PROGRAM);
  }

  static Stream<Arguments> reportedPrograms() throws IOException {
    return programs(REPORTED);
  }

  private static Stream<Arguments> programs(Pattern kind) throws IOException {
    Stream.Builder<Arguments> found = Stream.builder();
    for (Path page : pages()) {
      String name = ExampleProcess.root().relativize(page).toString();
      kind.matcher(Files.readString(page))
          .results()
          .forEach(m -> found.add(Arguments.of(name, m.group(1), m.group(2))));
    }
    return found.build();
  }

  @ParameterizedTest(name = "{0}, program {index}")
  @MethodSource("programs")
  void program_inAPage_printsWhatThePageSays(String page, String program, String output)
      throws Exception {
    Result result = run(program);
    if (!result.isWell(output) && TIME.matcher(program).find()) {
      result = run(slower(program));
    }
    assertThat(result.code).as(page + "\n" + result.text).isZero();
    assertThat(result.output).as(page + "\n" + result.text).isEqualTo(output);
  }

  private record Result(int code, String output, String text) {
    boolean isWell(String expected) {
      return code == 0 && output.equals(expected);
    }
  }

  private Result run(String program) throws Exception {
    Path file = Files.writeString(folder.resolve("Program.java"), program);
    try (var run = ExampleProcess.startFile(file)) {
      int code = run.awaitExit();
      return new Result(code, run.output() + "\n", run.text());
    }
  }

  /// The same with longer times: a machine may be too slow for those that a page can show, and then
  /// what is to come later comes first.
  private static String slower(String program) {
    return TIME.matcher(program)
        .replaceAll(
            time -> time.group(1) + Long.parseLong(time.group(2).replace("_", "")) * SLOWER + ")");
  }

  @ParameterizedTest(name = "{0}, report {index}")
  @MethodSource("reportedPrograms")
  void program_inAPage_isReportedAsThePageSays(String page, String program, String report)
      throws Exception {
    Path file = Files.writeString(folder.resolve("Program.java"), program);
    var options = List.of("-Dheddle.watchdog=200", "-Dheddle.stall=300");
    try (var run = ExampleProcess.startFile(options, file)) {
      for (String line : report.lines().filter(l -> !l.isBlank() && !l.equals("...")).toList()) {
        run.awaitLine("^" + asPattern(line) + "$");
      }
    }
  }

  private static String asPattern(String line) {
    StringBuilder pattern = new StringBuilder();
    int end = 0;
    for (MatchResult varies : VARIES.matcher(line).results().toList()) {
      pattern.append(Pattern.quote(line.substring(end, varies.start()))).append("\\S+( m?s)?");
      end = varies.end();
    }
    return pattern.append(Pattern.quote(line.substring(end))).toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"first-program", "first-processes"})
  void tutorial_everyProgram_isRunHere(String name) throws IOException {
    String tutorial =
        Files.readString(ExampleProcess.root().resolve("docs/tutorial/" + name + ".md"));
    long shown = tutorial.lines().filter("```java"::equals).count();
    assertThat(PROGRAM.matcher(tutorial).results().count()).isEqualTo(shown).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "virtual-threads, 5",
    "kotlin, 5",
    "go, 5",
    "asyncio-or-trio, 5",
    "otp-or-pekko, 5",
    "orleans, 3"
  })
  void comingFrom_everyProgramOfOurs_isRunHere(String name, int least) throws IOException {
    String page =
        Files.readString(
            ExampleProcess.root().resolve("docs/explanation/coming-from-" + name + ".md"));
    long shown = OURS.matcher(page).results().count();
    long run =
        PROGRAM.matcher(page).results().filter(m -> m.group(1).startsWith(OUR_IMPORT)).count();
    assertThat(run).isEqualTo(shown).isGreaterThanOrEqualTo(least);
  }

  @Test
  void page_anyUnderDocs_isLinkedFromAnotherPage() throws IOException {
    String text =
        Files.readString(ExampleProcess.root().resolve("README.md"))
            + pages().stream().map(PagesTest::read).collect(Collectors.joining());
    assertThat(pages())
        .allMatch(page ->
            text.contains("/" + page.getFileName() + ")")
                || text.contains("(" + page.getFileName() + ")"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"how-to", "explanation"})
  void page_ofEachKind_isLinkedFromTheListOfPages(String kind) throws IOException {
    Path docs = ExampleProcess.root().resolve("docs");
    String list = Files.readString(docs.resolve("README.md"));
    List<String> names;
    try (Stream<Path> files = Files.list(docs.resolve(kind))) {
      names = files.map(file -> file.getFileName().toString()).toList();
    }
    assertThat(names.stream().filter(name -> name.endsWith(".md")))
        .isNotEmpty()
        .allMatch(name -> list.contains("](" + kind + "/" + name + ")"));
  }

  @Test
  void pictures_inThePages_areWhatTheirTextsSay() throws Exception {
    Path pictures = ExampleProcess.root().resolve("docs/explanation/pictures");
    List<Path> texts;
    try (Stream<Path> files = Files.list(pictures)) {
      texts = files.filter(file -> file.toString().endsWith(".txt")).toList();
    }
    for (Path text : texts) {
      Files.copy(text, folder.resolve(text.getFileName()));
    }
    try (var run =
        ExampleProcess.startFile(pictures.resolve("RenderPicture.java"), folder.toString())) {
      assertThat(run.awaitExit()).as(run.text()).isZero();
    }
    assertThat(texts).isNotEmpty();
    for (Path text : texts) {
      String drawn = text.getFileName().toString().replace(".txt", ".svg");
      assertThat(folder.resolve(drawn)).hasSameTextualContentAs(pictures.resolve(drawn));
    }
  }

  private static String read(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
