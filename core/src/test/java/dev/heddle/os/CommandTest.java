// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.os.pipe.BlockingSource;
import dev.heddle.os.spawn.PosixSpawn;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Commands that are run to their end.
@Tag("T13.8")
@Timeout(300)
class CommandTest {
  private static final int LARGE = 1 << 20; // more than any pipe holds

  @TempDir private Path folder = Path.of("");

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  @Test
  void run_collectsWhatItWritesAndItsExitCode() {
    inLoop(() -> {
      CommandResult result = Command.shell("echo out; echo err >&2; exit 3").run();
      assertThat(result.output()).isEqualTo("out\n");
      assertThat(result.error()).isEqualTo("err\n");
      assertThat(result.exitCode()).isEqualTo(3);
    });
  }

  @Test
  @Tag("loop-249")
  void lines_ofEveryKind_areKept() {
    String longOne = "x".repeat(20_000);
    String text = "crlf\r\n\n  blanks  \nü€𝄞\n" + longOne + "\r\ra\nno end";
    inLoop(() -> {
      CommandResult result = Command.of("cat").withInput(text).run();
      assertThat(result.lines())
          .containsExactly("crlf", "", "  blanks  ", "ü€𝄞", longOne + "\r\ra", "no end");
      assertThat(result.output()).isEqualTo(text);
      try (Child cat = Command.of("cat").start()) {
        cat.input().write(text);
        cat.input().close();
        List<String> lines = new ArrayList<>();
        cat.output().forEach(lines::add);
        assertThat(lines).isEqualTo(result.lines());
      }
    });
  }

  @Test
  void text_inAnotherEncoding_isReadInThat() {
    inLoop(() -> {
      Command latin = Command.shell("printf '\\344\\n'").withCharset(StandardCharsets.ISO_8859_1);
      CommandResult result = latin.run();
      assertThat(result.lines()).containsExactly("ä");
      assertThat(result.outputBytes()).containsExactly(0xe4, '\n');
      try (Child child = latin.start()) {
        assertThat(child.output().readLine()).isEqualTo("ä");
      }
    });
  }

  @Test
  void output_largerThanThePipes_onBothAtOnce_isAllThere() {
    String both = "head -c " + LARGE + " /dev/zero >&2; head -c " + LARGE + " /dev/zero";
    inLoop(() -> {
      CommandResult result = Command.shell(both).run();
      assertThat(result.outputBytes()).hasSize(LARGE);
      assertThat(result.errorBytes()).hasSize(LARGE);
    });
  }

  @Test
  void input_largerThanThePipe_isPassedOnWhileOutputIsRead() {
    byte[] large = new byte[LARGE];
    Arrays.fill(large, (byte) 'x');
    inLoop(
        () -> assertThat(Command.of("cat").withInput(large).run().outputBytes()).isEqualTo(large));
  }

  @Test
  void input_thatTheCommandDoesNotRead_isNoFailure() {
    inLoop(
        () -> assertThat(Command.of("true").withInput(new byte[LARGE]).run().exitCode()).isZero());
  }

  @Test
  void input_thatAProcessLeftBehindHoldsAndDoesNotRead_delaysNothing() {
    Path pid = folder.resolve("pid");
    String script = "exec 3<&0; sleep 1000 <&3 & echo $! > " + pid;
    inLoop(() -> {
      Command leaving = Command.shell(script).withDrainTimeout(Duration.ofMillis(10));
      assertThat(leaving.withInput(new byte[LARGE]).run().exitCode()).isZero();
      assertThat(killed(pid)).isTrue();
    });
  }

  @Test
  void input_thatIsNotGiven_isAtItsEnd() {
    inLoop(() -> assertThat(Command.of("cat").run().output()).isEmpty());
  }

  @Test
  void arguments_reachTheProgramAsTheyAre() {
    inLoop(() ->
        assertThat(Command.of("printf", "%s|", "a b", "$HOME", "", "*").run().output())
            .isEqualTo("a b|$HOME||*|"));
  }

  @Test
  void environment_isThatOfThisProcessWithTheChanges() {
    Command print = Command.shell("echo ${PATH:+path} $ADDED").withEnvironment("ADDED", "added");
    inLoop(() -> {
      assertThat(print.run().output()).isEqualTo("path added\n");
      assertThat(print.withoutEnvironment("ADDED").run().output()).isEqualTo("path\n");
      // sh has a PATH of its own when it is given none, so it is asked for something else
      assertThat(
              Command.of("/usr/bin/env")
                  .withEnvironment("A", "1")
                  .withoutInheritedEnvironment()
                  .run()
                  .lines())
          .containsExactly("A=1");
    });
  }

  @Test
  void directory_isWhereItRuns() throws IOException {
    Path real = folder.toRealPath();
    inLoop(() ->
        assertThat(Command.of("pwd", "-P").withDirectory(real).run().output())
            .isEqualTo(real + "\n"));
  }

  @Test
  void files_takeTheOutputAndGiveTheInput() throws IOException {
    Path from = Files.writeString(folder.resolve("from"), "text");
    Path to = folder.resolve("to");
    inLoop(() -> {
      Command cat = Command.of("cat").withInput(Redirect.from(from.toFile()));
      assertThat(cat.withOutput(Redirect.to(to.toFile())).run().output()).isEmpty();
      cat.withOutput(Redirect.appendTo(to.toFile())).run();
      assertThat(cat.withOutput(Redirect.DISCARD).run().output()).isEmpty();
    });
    assertThat(to).hasContent("texttext");
  }

  @Test
  void errorMerged_comesInTheOrderOfWriting() {
    inLoop(() -> {
      CommandResult result = Command.shell("echo 1; echo 2 >&2; echo 3").withErrorMerged().run();
      assertThat(result.lines()).containsExactly("1", "2", "3");
      assertThat(result.errorBytes()).isEmpty();
    });
  }

  @Test
  void error_redirected_goesToTheFileAlone() {
    Path to = folder.resolve("error");
    inLoop(() -> {
      Command command = Command.shell("echo out; echo err >&2");
      CommandResult result = command.withError(Redirect.to(to.toFile())).run();
      assertThat(result.output()).isEqualTo("out\n");
      assertThat(result.errorBytes()).isEmpty();
    });
    assertThat(to).hasContent("err\n");
  }

  @Test
  void failedCommand_saysWhyWhenAskedTo() {
    inLoop(() -> {
      CommandResult result = Command.shell("echo no such thing >&2; exit 2").run();
      assertThatThrownBy(result::orThrow)
          .isInstanceOfSatisfying(
              CommandFailedException.class, e -> assertThat(e.exitCode()).isEqualTo(2))
          .hasMessageContaining("exited with 2: no such thing");
      CommandResult good = Command.of("true").run();
      assertThat(good.orThrow()).isSameAs(good);
    });
  }

  @Test
  void programThatIsNotThere_isNamed() {
    inLoop(() -> {
      assertThatThrownBy(() -> Command.of("no-such-program").run())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no-such-program");
      assertThatThrownBy(() -> Command.of("true").withDirectory(Path.of("/no/such")).run())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("/no/such");
    });
  }

  @Test
  void manyAtOnce_allEnd() {
    inLoop(() -> {
      List<String> outputs = new ArrayList<>();
      Heddle.scope(scope -> {
        for (int i = 0; i < 40; i++) {
          String text = "child " + i;
          scope.launch(text, () -> outputs.add(Command.of("echo", text).run().output()));
        }
        return null;
      });
      assertThat(outputs).hasSize(40).contains("child 39\n").doesNotHaveDuplicates();
    });
  }

  // ---- its end ----

  @Test
  @Tag("trap-33")
  void run_isCompleteOnlyWhenTheOutputIsDrained() {
    // a pipe full of what nobody has read when the process has ended
    inLoop(() ->
        assertThat(Command.shell("head -c 60000 /dev/zero").run().outputBytes()).hasSize(60_000));
  }

  @Test
  @Tag("trap-33")
  void run_whoseOutputAProcessLeftBehindHoldsOpen_doesNotHang() {
    Path pid = folder.resolve("pid");
    Path go = folder.resolve("go");
    String script = "until [ -e " + go + " ]; do :; done; sleep 1000 & echo $! > " + pid;
    Command leaving = Command.shell(script).withDrainTimeout(Duration.ofMillis(10));
    inLoop(() -> {
      Coroutine<CommandResult> run = Heddle.spawn(() -> leaving.run());
      while (!Heddle.dump().text().contains("the output of 'sh'") || !isBeingRead()) {
        Heddle.yieldNow();
      }
      Files.createFile(go);
      assertThat(run.await().exitCode()).isZero();
      assertThat(killed(pid)).isTrue();
    });
  }

  // a pipe that nobody reads yet the JDK closes when the child has ended
  private static boolean isBeingRead() {
    return PosixSpawn.how().startsWith("started natively")
        || Thread.getAllStackTraces().values().stream()
            .flatMap(Arrays::stream)
            .anyMatch(frame ->
                frame.getClassName().equals(BlockingSource.class.getName())
                    && frame.getMethodName().equals("fetch"));
  }

  // not told by the output: what is written last may come after so short a silence
  private static boolean killed(Path pid) throws IOException {
    return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
        .orElseThrow()
        .destroyForcibly();
  }

  @Test
  void run_thatIsCancelled_killsItWithItsDescendants() throws IOException {
    Path pids = folder.resolve("pids");
    String script = "sleep 1000 & echo $! $$ > p && mv p " + pids + "; wait";
    inLoop(() -> {
      var run = Heddle.spawn(() -> Command.shell(script).withDirectory(folder).run());
      while (!Files.exists(pids) || !Heddle.dump().text().contains("the end of 'sh'")) {
        Heddle.yieldNow();
      }
      run.cancel("enough");
      Heddle.supervise(s -> {
        assertThatThrownBy(run::await).isInstanceOf(dev.heddle.Cancellation.class);
        return null;
      });
      for (String pid : Files.readString(pids).trim().split(" ")) {
        Pids.awaitEnd(Long.parseLong(pid));
      }
    });
  }

  /// `run()` collected until the JVM had no room, and then threw a NegativeArraySizeException.
  @Test
  void run_ofAProgramThatWritesForEver_endsItAtTheLimit() {
    Command endless = Command.shell("echo $$ >&2; exec yes").withOutputLimit(100_000);
    inLoop(() ->
        Heddle.supervise(s -> {
          List<Long> before = Pids.children();
          assertThatThrownBy(endless::run)
              .isInstanceOfSatisfying(
                  OutputLimitException.class,
                  e -> assertThat(e.bytes()).hasSize(100_000).startsWith('y', '\n', 'y'))
              .hasMessageContaining("'sh' has written more than the limit of 100000 bytes")
              .hasMessageContaining("Command.withOutputLimit");
          assertThat(Pids.children()).isSubsetOf(before);
          return null;
        }));
  }

  @Test
  void run_ofAProgramThatWritesAsMuchAsTheLimit_isComplete() {
    Command exact = Command.shell("printf 12345; printf 1234 >&2");
    inLoop(() -> {
      CommandResult result = exact.withOutputLimit(5).run();
      assertThat(result.output() + result.error()).isEqualTo("123451234");
      assertThatThrownBy(() -> exact.withOutputLimit(4).run())
          .isInstanceOf(OutputLimitException.class);
    });
  }

  /// It waited for ever for a peer of the pipe, and held two threads.
  @Test
  void startThatIsCancelled_whileItOpensANamedPipe_ends() throws Exception {
    startThatIsCancelled_whileItOpensANamedPipe_ends("auto");
  }

  @Test
  void startByTheJdkThatIsCancelled_whileItOpensANamedPipe_ends() throws Exception {
    startThatIsCancelled_whileItOpensANamedPipe_ends("jdk");
  }

  private void startThatIsCancelled_whileItOpensANamedPipe_ends(String way) throws Exception {
    Path fifo = folder.resolve("fifo");
    Path ran = folder.resolve("ran");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    Command touch = Command.of("touch", ran.toString());
    String before = System.setProperty("heddle.children", way);
    try {
      inLoop(() -> {
        boolean isNative = PosixSpawn.how().startsWith("started natively");
        cutWhileItOpens(touch.withInput(Redirect.from(fifo.toFile())), () -> {});
        cutWhileItOpens(touch.withOutput(Redirect.to(fifo.toFile())), () -> {});
        assertThat(isNative && Files.exists(ran)).isFalse();
      });
    } finally {
      System.setProperty("heddle.children", before == null ? "auto" : before);
    }
  }

  /// Nobody can be a peer to it any more.
  @Test
  void startThatIsCancelled_whenTheNamedPipeThatItOpensIsGone_ends() throws Exception {
    startThatIsCancelled_whenTheNamedPipeThatItOpensIsGone_ends(HeddleOptions.defaults());
  }

  /// To end it, too, was a call for one of these threads.
  @Test
  void startThatIsCancelled_whileStartsHoldAllThreadsOfTheLoop_ends() throws Exception {
    startThatIsCancelled_whenTheNamedPipeThatItOpensIsGone_ends(
        HeddleOptions.defaults().withOffloadThreads(1));
  }

  private void startThatIsCancelled_whenTheNamedPipeThatItOpensIsGone_ends(HeddleOptions options)
      throws Exception {
    Path fifo = folder.resolve("fifo");
    Path other = folder.resolve("other");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    Files.createLink(other, fifo);
    Command cat = Command.of("cat").withInput(Redirect.from(fifo.toFile()));
    Heddle.run(
        options,
        () -> {
          try {
            cutWhileItOpens(cat, () -> Files.delete(fifo));
          } finally {
            // the thread that has stayed there
            try (FileChannel _ = FileChannel.open(other, READ, WRITE)) {
              while (isOpening()) {
                Heddle.yieldNow();
              }
            }
          }
        });
  }

  private static void cutWhileItOpens(Command command, Action before) {
    Heddle.supervise(s -> {
      List<Long> children = Pids.children();
      Coroutine<?> start = s.spawn(command::start);
      while (!isOpening() && !start.isDone()) {
        Heddle.yieldNow();
      }
      before.run();
      start.cancel("enough");
      assertThatThrownBy(start::await).isInstanceOf(dev.heddle.Cancellation.class);
      assertThat(Pids.children()).isSubsetOf(children);
      return null;
    });
  }

  private static boolean isOpening() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().startsWith("heddle-offload-"))
        .flatMap(thread -> Arrays.stream(thread.getValue()))
        .anyMatch(frame ->
            frame.getMethodName().equals("open0") // of the JDK's streams
                || (frame.getClassName().equals(PosixSpawn.class.getName())
                    && frame.getMethodName().equals("openFile")));
  }

  @Test
  void within_boundsIt() {
    inLoop(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(Duration.ofMillis(1), () -> Command.of("sleep", "1000").run()))
            .isInstanceOf(dev.heddle.DeadlineException.class));
  }

  @Test
  void limitsThatCannotBe_areRefused() {
    Command any = Command.of("true");
    assertThatThrownBy(() -> any.withKillGrace(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> any.withDrainTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> any.withOutputLimit(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the limit of output must be positive, not 0");
    assertThatThrownBy(() -> Command.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
