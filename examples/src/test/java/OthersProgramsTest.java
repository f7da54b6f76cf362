// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The programs of others, which stand beside ours in the pages for those who come from elsewhere,
/// are correct, too: as far as the tools of their languages are installed here.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OthersProgramsTest {
  private static final Pattern GO = Pattern.compile("(?s)```go\\n(.*?)```");
  private static final Pattern PYTHON = Pattern.compile("(?s)```python\\n(.*?)```");
  private static final Pattern PREVIEW =
      Pattern.compile("(?s)```java\\n((?:(?!```).)*?\\.StructuredTaskScope;.*?)```");

  /// A program in Python, ours, and what both print.
  private static final Pattern BESIDE_OURS =
      Pattern.compile("(?s)```python\\n([^`]*)```\\s*```java\\n[^`]*```\\s*```text\\n(.*?)```");

  /// The packages that the Go programs use, by the names in the code; the pages leave the imports
  /// out.
  private static final Map<String, String> PACKAGES =
      new TreeMap<>(
          Map.of(
              "bufio", "bufio",
              "context", "context",
              "errgroup", "golang.org/x/sync/errgroup",
              "errors", "errors",
              "fmt", "fmt",
              "net", "net",
              "os", "os",
              "signal", "os/signal",
              "sync", "sync",
              "time", "time"));

  private static final String SYSCALL = "syscall";

  private static final String MODULE =
      """
      module pages

      go 1.22

      require golang.org/x/sync v0.0.0

      replace golang.org/x/sync => ./sync
      """;

  /// What the programs call of `errgroup`, so that no test fetches it.
  private static final String ERRGROUP =
      """
      package errgroup

      import "context"

      type Group struct{ cancel func() }

      func WithContext(ctx context.Context) (*Group, context.Context) {
      	ctx, cancel := context.WithCancel(ctx)
      	return &Group{cancel}, ctx
      }

      func (g *Group) SetLimit(n int)       {}
      func (g *Group) Go(f func() error)    {}
      func (g *Group) Wait() error          { g.cancel(); return nil }
      """;

  @TempDir private Path folder = Path.of("");

  private static void require(String program, String unproved) {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(place -> Files.isExecutable(Path.of(place, program))),
        () -> "no " + program + " on the PATH: not proved here is " + unproved);
  }

  private static String page(String name) throws IOException {
    return Files.readString(
        ExampleProcess.root().resolve("docs/explanation/coming-from-" + name + ".md"));
  }

  private static List<String> shown(Pattern kind, String page) throws IOException {
    return kind.matcher(page(page)).results().map(found -> found.group(1)).toList();
  }

  private record Result(int code, String output) {}

  private Result run(String... command) throws Exception {
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().remove("JDK_JAVA_OPTIONS");
    builder.environment().putAll(Map.of("GOFLAGS", "-mod=mod", "GOPROXY", "off", "GOWORK", "off"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Result(process.waitFor(), output);
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  // ---- Go ----

  @Test
  void programs_inGo_passGoVet() throws Exception {
    require("go", "that the Go programs of the pages compile");
    List<String> programs = shown(GO, "go");
    assertThat(programs).hasSizeGreaterThan(4);
    write("go.mod", MODULE);
    write("sync/go.mod", "module golang.org/x/sync\n\ngo 1.22\n");
    write("sync/errgroup/errgroup.go", ERRGROUP);
    for (int i = 0; i < programs.size(); i++) {
      write("program" + i + "/main.go", withImports(programs.get(i)));
    }
    Result result = run("go", "vet", "./...");
    assertThat(result.code).as(result.output).isZero();
  }

  @Test
  void programsForSimulators_inGo_passGoVet() throws Exception {
    require("go", "that the Go programs of tests/simulators compile");
    assumeTrue(
        run("go", "doc", "testing/synctest", "Test").code == 0,
        "no Go 1.25: not proved here is that the Go programs of tests/simulators compile");
    Path programs = ExampleProcess.root().resolve("tests/simulators/go");
    for (String file : List.of("go.mod", "bugs_test.go")) {
      write(file, Files.readString(programs.resolve(file)));
    }
    Result result = run("go", "vet", "./...");
    assertThat(result.code).as(result.output).isZero();
  }

  private static String withImports(String program) {
    String imports =
        Stream.concat(PACKAGES.entrySet().stream(), Stream.of(Map.entry(SYSCALL, SYSCALL)))
            .filter(used -> program.contains(used.getKey() + "."))
            .filter(used -> Pattern.compile("\\b" + used.getKey() + "\\.").matcher(program).find())
            .map(used -> "\t\"" + used.getValue() + "\"\n")
            .collect(Collectors.joining());
    return "package main\n\nimport (\n" + imports + ")\n\n" + program;
  }

  // ---- Python ----

  @Test
  void programs_inPython_compile() throws Exception {
    require("python3", "that the Python programs of the pages compile");
    List<String> programs = shown(PYTHON, "asyncio-or-trio");
    assertThat(programs).hasSizeGreaterThan(5);
    for (int i = 0; i < programs.size(); i++) {
      write("program" + i + ".py", programs.get(i));
      Result result = run("python3", "-m", "py_compile", "program" + i + ".py");
      assertThat(result.code).as(result.output).isZero();
    }
  }

  @Test
  void programs_ofAsyncio_printWhatOursPrint() throws Exception {
    require("python3", "that the asyncio programs of the pages print what ours print");
    assumeTrue(
        run("python3", "-c", "import asyncio; asyncio.TaskGroup").code == 0,
        "no Python 3.11: not proved here is what the asyncio programs of the pages print");
    List<MatchResult> programs = BESIDE_OURS.matcher(page("asyncio-or-trio")).results().toList();
    assertThat(programs).hasSizeGreaterThan(4);
    for (MatchResult program : programs) {
      write(
          "program.py",
          "import asyncio, os, signal\n\n" + program.group(1) + "\nasyncio.run(main())\n");
      assertThat(run("python3", "program.py")).isEqualTo(new Result(0, program.group(2)));
    }
  }

  // ---- Java with previews ----

  /// Whether the slow one has begun when the scope is cancelled, is left to chance there.
  @Test
  void programs_withAPreviewOfTheJdk_endAsOursDo() throws Exception {
    List<String> programs = shown(PREVIEW, "virtual-threads");
    assertThat(programs).hasSize(1);
    write("Program.java", programs.getFirst());
    Result result =
        run(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-preview",
            "--source",
            Runtime.version().feature() + "",
            "Program.java");
    assertThat(result.code).as(result.output).isZero();
    assertThat(result.output).endsWith("failed: connection refused\n");
  }
}
