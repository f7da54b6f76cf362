// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `heddle run` as scripts and terminals see it: real processes, through the launcher.
class RunIT {
  private final Checkout checkout = Checkout.ready();

  @Test
  void compactMain_arguments_arriveAsTyped() throws Exception {
    checkout.write("Args.java", "void main(String[] a) { IO.println(String.join(\"|\", a)); }");

    assertThat(checkout.heddle("run", "Args.java", "--", "-x", "b c", "@d", "--", "").out().strip())
        .isEqualTo("-x|b c|@d|--|");
    assertThat(checkout.heddle("run", "Args.java", "-h", "--version").out().strip())
        .isEqualTo("-h|--version");
  }

  @Test
  void main_isACoroutine_ofALoop() throws Exception {
    checkout.write(
        "Main.java",
        """
        import dev.heddle.Heddle;

        void main() {
          int sum = Heddle.scope(s -> s.spawn(() -> 20).await() + s.spawn(() -> 22).await());
          IO.println(sum + " " + Heddle.current().name());
        }
        """);
    assertThat(checkout.heddle("run", "Main.java").out().strip()).isEqualTo("42 main");
  }

  @Test
  void trainingProgram_runs() throws Exception {
    Outcome outcome = checkout.heddle("run", "cli/src/main/aot/Training.java");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).endsWith("after hello\nwell done: NORMAL\n");
  }

  /// What a start costs is what it loads: from the launcher's cache, and without the parser of the
  /// command line.
  @Test
  void start_ofAFile_loadsCompilerAndRuntimeFromTheCache() throws Exception {
    checkout.write("Hi.java", "void main() { dev.heddle.Heddle.yieldNow(); IO.println(\"hi\"); }");
    Path log = checkout.root().resolve("loaded");
    Outcome outcome =
        checkout.heddle(
            "run",
            "-J-Xlog:class+load=info:file=" + log + "::filesize=0",
            "-J-Dheddle.watchdog=off", // its report, on a slow machine, loads more
            "Hi.java");
    assertThat(outcome.out()).as(outcome.err()).isEqualTo("hi\n");

    List<String> loaded = Files.readAllLines(log);
    List<String> cached = loaded.stream().filter(line -> line.contains("shared objects")).toList();
    assertThat(cached)
        .anyMatch(line -> line.contains(" com.sun.tools.javac.main.JavaCompiler source:"))
        .anyMatch(line -> line.contains(" dev.heddle.scheduler.Scheduler source:"));
    // lambdas and method handles that no cache holds, and the program
    assertThat(loaded.size() - cached.size()).isLessThan(100);
    assertThat(loaded).noneMatch(line -> line.contains(" dev.heddle.cli.picocli.CommandLine "));
  }

  /// The training calls everything once or twice: what it would teach the JVM's compilers is wrong.
  @Test
  void cacheOfTheStart_hasClassesAndNoProfiles() throws Exception {
    checkout.write("Hi.java", "void main() { IO.println(\"hi\"); }");
    Outcome outcome =
        checkout.heddle(
            "run", "-J-XX:+UnlockDiagnosticVMOptions", "-J-XX:+AOTPrintTrainingInfo", "Hi.java");

    assertThat(outcome.out().lines())
        .as(outcome.err())
        .contains("Archived TrainingData Dictionary", "hi")
        .noneMatch(line -> line.matches("\\s*\\d+: 0x[0-9a-f]+ [KMC] .*"));
  }

  @Test
  void previewFeatures_whenTheJvmHasThem_compileAndRun() throws Exception {
    String source = "void main() { Object o = 41; if (o instanceof int i) IO.println(i + 1); }";
    checkout.write("Preview.java", source);
    assertThat(checkout.heddle("run", "-J--enable-preview", "Preview.java").out())
        .isEqualTo("42\n");
    Map<String, String> options = Map.of("HEDDLE_JAVA_OPTS", "--enable-preview");
    assertThat(checkout.heddle(options, "run", "Preview.java").out()).isEqualTo("42\n");

    Outcome without = checkout.heddle("run", "Preview.java");
    assertThat(without.code()).isEqualTo(2);
    assertThat(without.err()).contains("--enable-preview");
  }

  @Test
  void packageAndCompanions_asTheJavaLauncher() throws Exception {
    checkout.write(
        "src/pk/a/M.java",
        """
        package pk.a;
        class M {
          public static void main(String[] args) throws Exception {
            System.out.println(Other.WORD + Class.forName("pk.a.Late").getSimpleName());
          }
        }
        """);
    checkout.write(
        "src/pk/a/Other.java",
        "package pk.a; class Other { static final String WORD = \"here \"; }");
    checkout.write("src/pk/a/Late.java", "package pk.a; class Late {}");

    assertThat(checkout.heddle("run", "src/pk/a/M.java").out().strip()).isEqualTo("here Late");
  }

  @Test
  void classPath_ofTheUser_isSeen() throws Exception {
    checkout.write("res/note.txt", "found\n");
    checkout.write(
        "Res.java",
        "void main() throws Exception { IO.print(new"
            + " String(ClassLoader.getSystemResourceAsStream(\"note.txt\").readAllBytes())); }");

    assertThat(checkout.heddle("run", "-cp", "res", "Res.java").out()).isEqualTo("found\n");
  }

  @Test
  void dash_readsTheSource_fromStandardInput() throws Exception {
    assertThat(checkout.heddleReading("void main() { IO.println(6 * 7); }", "run", "-").out())
        .isEqualTo("42\n");
  }

  @Test
  void standardInput_belongsToTheProgram() throws Exception {
    checkout.write("In.java", "void main() { IO.println(\"got \" + IO.readln()); }");

    assertThat(checkout.heddleReading("abc\n", "run", "In.java").out()).isEqualTo("got abc\n");
  }

  @Test
  void uncaughtFailure_exits1_withTheUsersFramesOnly() throws Exception {
    checkout.write(
        "Fail.java",
        """
        import java.io.IOException;

        void main() throws IOException {
          var failure = new IOException("outer", new IllegalStateException("inner"));
          failure.addSuppressed(new RuntimeException("side"));
          throw failure;
        }
        """);
    Outcome outcome = checkout.heddle("run", "Fail.java");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.errWithoutWarnings().lines())
        .containsExactly(
            "Failed: java.io.IOException: outer",
            "\tat Fail.main(Fail.java:4)",
            "\tSuppressed: java.lang.RuntimeException: side",
            "\t\tat Fail.main(Fail.java:5)",
            "Caused by: java.lang.IllegalStateException: inner",
            "\t... 1 more");
  }

  @Test
  @Tag("loop-12")
  void uncaughtFailure_ofACoroutine_namesItAndWhoSpawnedIt() throws Exception {
    checkout.write(
        "Spawn.java",
        """
        import dev.heddle.Heddle;

        void main() {
          Heddle.launch("crawl", this::crawl);
        }

        void crawl() {
          Heddle.spawn("page", this::page);
        }

        int page() {
          throw new IllegalStateException("no page");
        }
        """);
    Outcome outcome = checkout.heddle("run", "Spawn.java");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.errWithoutWarnings().lines())
        .containsExactly(
            "Failed: java.lang.IllegalStateException: no page",
            "\tat Spawn.page(Spawn.java:12)",
            "  in coroutine-3 'page' spawned at Spawn.crawl(Spawn.java:8)",
            "    by coroutine-2 'crawl' spawned at Spawn.main(Spawn.java:4)",
            "    by coroutine-1 'main'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "void main() { dev.heddle.Heddle.exit(7); } # 7",
        "void main() { System.exit(9); } # 9",
        "void main() {} # 0",
        "void main() { dev.heddle.Heddle.shutdown(java.time.Duration.ofHours(1));"
            + " dev.heddle.Heddle.yieldNow(); } # 0",
      })
  void exitCode_ofTheProgram_isPassedOn(String source, int code) throws Exception {
    assertThat(checkout.heddleReading(source, "run", "-").code()).isEqualTo(code);
  }

  @Test
  void deadlock_exits70_andSaysWhoWaitsOnWhom() throws Exception {
    checkout.write(
        "Dead.java",
        """
        import dev.heddle.Heddle;
        import dev.heddle.coroutine.Coroutine;

        void main() {
          Heddle.scope(s -> {
            Coroutine<?>[] pair = new Coroutine<?>[2];
            pair[0] = s.spawn("left", () -> pair[1].await());
            pair[1] = s.spawn("right", () -> pair[0].await());
            return null;
          });
        }
        """);
    Outcome outcome = checkout.heddle("run", "Dead.java");

    assertThat(outcome.code()).isEqualTo(70);
    assertThat(outcome.err()).contains("'left'").contains("'right'").contains("Dead.java:7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "class A { int x } # does not compile",
        "class A { int x; } # no main method",
        "// nothing # declares no class",
        "abstract class A { void main() {} } # must be concrete",
      })
  void sourceThatCannotStart_exits2_sayingWhy(String source, String why) throws Exception {
    checkout.write("Cannot.java", source);
    Outcome outcome = checkout.heddle("run", "Cannot.java");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains(why);
  }

  @Test
  void missingFile_exits2() throws Exception {
    Outcome outcome = checkout.heddle("run", "nowhere.java");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err().strip()).isEqualTo("heddle: there is no file 'nowhere.java'");
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void signal_endsGracefully_withItsCode(String signal, int code) throws Exception {
    checkout.write(
        "Wait.java",
        """
        import dev.heddle.Heddle;
        import java.time.Duration;

        void main() {
          IO.println("up");
          try {
            Heddle.delay(Duration.ofHours(1));
          } finally {
            IO.println("cleaned up");
          }
        }
        """);
    Outcome.Started started = checkout.start("run", "Wait.java");
    started.awaitOutput("up");
    String pid = Long.toString(started.process().pid());
    // the shell's own kill: a system may come without the program
    new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).start().waitFor();
    Outcome outcome = Outcome.of(started);

    assertThat(outcome.code()).isEqualTo(code);
    assertThat(outcome.out()).endsWith("cleaned up\n");
    assertThat(outcome.errWithoutWarnings()).isEmpty();
  }

  @Test
  void runnableJar_withoutFlags_runsALoop() throws Exception {
    checkout.write(
        "Bare.java", "void main() { dev.heddle.Heddle.yieldNow(); IO.println(\"bare\"); }");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Outcome outcome =
        Outcome.of(
            List.of(java, "-jar", System.getProperty("heddle.jar"), "run", "Bare.java"),
            checkout.root(),
            Map.of(),
            "");

    assertThat(outcome.out()).isEqualTo("bare\n");
    assertThat(outcome.errWithoutWarnings()).isEmpty();
  }
}
