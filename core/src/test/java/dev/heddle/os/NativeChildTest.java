// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.LoopCounters;
import dev.heddle.os.spawn.PosixSpawn;
import dev.heddle.os.spawn.SpawnedProcess;
import dev.heddle.os.spawn.StrangeProcess;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Children that are started natively: what the JDK's way cannot, and that all else is as there.
@Tag("T13.8")
@Timeout(300)
class NativeChildTest {
  private static final Command CAT = Command.of("cat");
  private static final int MANY = 1_000;
  private static final int DESCRIPTORS_EACH = 4;
  private static final Pattern ERROR = Pattern.compile("error[:=] ?(\\d+)");
  private static final int FEW_THREADS =
      8; // the first start brings those of the pool and the driver

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void natively() {
    assumeTrue(PosixSpawn.how().startsWith("started natively"), PosixSpawn.how());
  }

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  // ---- many at once ----

  /// Three threads for each child: a thousand of them met the limits of most systems.
  @Test
  void aThousandChildrenAtOnce_haveNoThreadsOfTheirOwn() throws IOException {
    long allowed = Math.min(limit("Max open files") / DESCRIPTORS_EACH, limit("Max processes"));
    allowed = Math.min(allowed, freeOfTheContainer());
    assumeTrue(allowed > 2 * MANY, "this system allows only " + allowed + " children at once");
    inLoop(() -> {
      CAT.run(); // brings the threads of the pool and of the driver
      int before = threads();
      List<Child> all = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        Child child = CAT.start();
        all.add(child);
        child.input().write(i + "\n");
      }
      for (int i = 0; i < MANY; i++) {
        assertThat(all.get(i).output().readLine()).isEqualTo(String.valueOf(i));
      }
      assertThat(threads()).isLessThan(before + FEW_THREADS);
      for (Child child : all) {
        child.input().close();
        assertThat(child.output().readLine()).isNull(); // with all others alive
        assertThat(child.await()).isZero();
        child.close();
      }
    });
  }

  private static int threads() {
    return Thread.getAllStackTraces().size();
  }

  /// How many threads and processes the group of a container may begin still.
  private static long freeOfTheContainer() throws IOException {
    Path most = Path.of("/sys/fs/cgroup/pids.max");
    String text = Files.isReadable(most) ? Files.readString(most).strip() : "max";
    if (text.equals("max")) {
      return Long.MAX_VALUE;
    }
    Path now = most.resolveSibling("pids.current");
    return Long.parseLong(text) - Long.parseLong(Files.readString(now).strip());
  }

  private static long limit(String name) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
      String line = lines.filter(l -> l.startsWith(name)).findAny().orElseThrow();
      String soft = line.substring(name.length()).strip().split(" ")[0];
      return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
    }
  }

  @Test
  void sixtyFourMebibytes_goThroughAChild() {
    int block = 1 << 20;
    int blocks = 64;
    inLoop(() -> {
      try (Child cat = CAT.start()) {
        Heddle.launch(
            "writer",
            () -> {
              byte[] bytes = new byte[block];
              for (int i = 0; i < blocks; i++) {
                Arrays.fill(bytes, (byte) i);
                cat.input().write(bytes);
              }
              cat.input().close();
            });
        ByteBuffer some = ByteBuffer.allocate(1 << 16);
        long read = 0;
        long wrong = 0;
        for (int n = cat.output().read(some); n >= 0; n = cat.output().read(some.clear())) {
          for (int i = 0; i < n; i++, read++) {
            wrong += some.get(i) == (byte) (read / block) ? 0 : 1;
          }
        }
        assertThat(wrong).isZero();
        assertThat(read).isEqualTo((long) block * blocks);
      }
    });
  }

  @Test
  @Tag("trap-31")
  void write_toAChildThatHasEnded_isABrokenPipe() {
    inLoop(() -> {
      try (Child child = Command.of("true").start()) {
        child.await();
        assertThatThrownBy(() -> child.input().write("x"))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("Broken pipe");
      }
    });
  }

  @Test
  void childThatEndsWithoutAWaiter_leavesNoZombie() {
    inLoop(() -> {
      Child child = Command.of("true").start();
      while (Files.exists(Path.of("/proc/" + child.pid()))) {
        Heddle.yieldNow();
      }
      assertThat(child.isAlive()).isFalse();
      assertThat(child.await()).isZero();
    });
  }

  /// The loop and the thread that sees to an abandoned child ask for its end at the same time: who
  /// came second was told that there was no such child, and that was exit code 0.
  @Test
  void twoWaitersForTheSameEnd_getTheSame() throws Exception {
    for (int i = 0; i < 50; i++) {
      SpawnedProcess process =
          PosixSpawn.start(Command.of("sleep", "1000").settings().plan(), () -> true);
      try {
        Thread other = Thread.ofPlatform().start(process::awaitEnd);
        process.kill();
        while (!process.hasEnded()) {
          Thread.onSpinWait();
        }
        other.join();
        assertThat(process.code()).isEqualTo(128 + 9);
      } finally {
        process.kill();
        process.closeAll();
      }
    }
  }

  /// The loop asked for its end again and again, and did nothing else.
  @Test
  void childThatHasEnded_andIsHeldByATracer_isAskedForAfterPauses() {
    inLoop(() -> {
      SpawnedProcess process = StrangeProcess.held(Command.of("sleep", "1000").settings().plan());
      try {
        NativeProgram program = new NativeProgram(process);
        AtomicInteger code = new AtomicInteger(-1);
        program.watch(LoopRuntime.current(), code::set);
        LoopCounters before = Heddle.counters();
        long start = System.nanoTime();
        Heddle.delay(Duration.ofMillis(300));
        LoopCounters after = Heddle.counters();
        long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds(); // of a slow machine
        assertThat(after.sleeps() + after.polls() - before.sleeps() - before.polls())
            .isLessThan(50 * (1 + seconds));
        process.kill();
        while (code.get() < 0) {
          Heddle.delay(Duration.ofMillis(1));
        }
        assertThat(code).hasValue(128 + 9);
      } finally {
        process.kill();
      }
    });
  }

  @Test
  void childThatRuns_doesNotHideADeadlock() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Child child = Command.of("sleep", "1000").start();
              assertThat(child.isAlive()).isTrue();
              Heddle.promise("what nobody brings").future().await();
            }))
        .isInstanceOf(dev.heddle.DeadlockError.class);
  }

  @Test
  void descriptors_areGivenBack() throws IOException {
    inLoop(() -> CAT.run()); // brings those of the driver
    long before = descriptors();
    inLoop(() -> {
      try (Child child = CAT.start()) {
        child.input().write("x\n");
        child.output().readLine();
      }
      var _ = CAT.start(); // the loop's end closes it
      var _ = CAT.run();
      assertThatThrownBy(() -> Command.of("no-such-program").start());
    });
    while (descriptors() > before) {
      Thread.onSpinWait(); // other threads of this JVM have some for a while
    }
  }

  /// What had been opened for it by then was open until the loop's end.
  @Test
  void childThatCannotBeWatched_leavesNothingOpen() throws IOException {
    Command sleep = Command.of("sleep", "1000");
    Path file = Files.writeString(folder.resolve("file"), "is never waited for");
    inLoop(() -> {
      int[] input = new int[1];
      SpawnedProcess process = StrangeProcess.unwatchable(sleep.settings().plan(), file, input);
      try {
        Path open = Path.of("/proc/self/fd/" + input[0]);
        Path pipe = Files.readSymbolicLink(open);
        NativeProgram program = new NativeProgram(process);
        assertThatThrownBy(() -> Child.of(LoopRuntime.current(), sleep.settings(), program))
            .isInstanceOf(IOException.class);
        assertThat(Pids.isOpen(open, pipe)).isFalse();
        Pids.awaitEnd(process.pid());
      } finally {
        process.kill();
      }
    });
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  // ---- as the JDK's ----

  private static String said(ProcessBuilder builder) throws Exception {
    Process process = builder.start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void environmentDescriptorsAndSignals_areThoseOfTheJdksChildren() throws Exception {
    List<List<String>> lines =
        List.of(
            List.of("env"),
            List.of("sh", "-c", "ls /proc/$$/fd"),
            List.of("grep", "-E", "Sig(Blk|Ign|Cgt)", "/proc/self/status"),
            List.of("sh", "-c", "ulimit -n; pwd; umask; cut -d' ' -f5,6 /proc/$$/stat"));
    for (List<String> line : lines) {
      String expected = said(new ProcessBuilder(line));
      inLoop(() -> assertThat(Command.of(line).run().output()).isEqualTo(expected));
    }
  }

  @Test
  void errors_areThoseOfTheJdk() throws Exception {
    Path plain = Files.writeString(folder.resolve("plain"), "text");
    List<Command> commands =
        List.of(
            Command.of("no-such-program"),
            Command.of("true").withDirectory(Path.of("/no/such")),
            Command.of(plain.toString()),
            Command.of(folder.toString()),
            Command.of("a\0b"),
            Command.of(""),
            Command.of("true", "x".repeat(3_000_000)),
            CAT.withInput(Redirect.from(folder.resolve("none").toFile())),
            CAT.withOutput(Redirect.to(folder.resolve("none/file").toFile())));
    for (Command command : commands) {
      List<String> words = List.of(command.settings().program(), "/no/such", folder + "/none");
      String expected = refusal(words, () -> command.settings().builder().start());
      inLoop(() -> assertThat(refusal(words, command::start)).isEqualTo(expected));
    }
  }

  @FunctionalInterface
  private interface Start {
    Object start() throws IOException;
  }

  // its type, the system's error, and which of `words` it names: the sentences are those of one JDK
  private static String refusal(List<String> words, Start start) {
    try {
      return "started: " + start.start();
    } catch (IOException e) {
      Matcher error = ERROR.matcher(e.getMessage());
      return e.getClass()
          + (error.find() ? " error " + error.group(1) : "")
          + words.stream().filter(e.getMessage()::contains).toList();
    }
  }

  @Test
  void scriptWithoutAFirstLine_isTheShells() throws IOException {
    Path script = Files.writeString(folder.resolve("script"), "echo $1 $#\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    inLoop(() ->
        assertThat(Command.of(script.toString(), "a b", "c").run().output()).isEqualTo("a b 2\n"));
  }

  @Test
  void runsOfManyCoroutines_areIndependent() {
    inLoop(() -> {
      List<Coroutine<String>> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String text = "text " + i;
        all.add(Heddle.spawn(() -> CAT.withInput(text).run().output()));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(all.get(i).await()).isEqualTo("text " + i);
      }
    });
  }

  /// Where names are in none of the six encodings that the JDK converts itself, the first file and
  /// the first child ended in an `AssertionError`.
  @Test
  void filesAndChildren_areThereInEveryEncoding() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(EncodingProgram.class)
            .with("--enable-native-access=ALL-UNNAMED")
            .withArguments(folder.toString(), "ISO-8859-15")
            .run();
    assertThat(result.output())
        .contains(
            "names: ISO-8859-15",
            "read: text",
            "size: 4",
            "child: text",
            "directory: " + folder.toRealPath(),
            "error: No such file or directory");
    assertThat(result.exitCode()).isZero();
  }

  // ---- limits of the system ----

  /// The first process or thread that could not be had ended the program.
  @Test
  void start_atTheLimitOfProcesses_failsAndNothingElseDoes() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(ProcessLimitProgram.class)
            .with("--enable-native-access=ALL-UNNAMED")
            .from(folder.resolve("program.jar")) // open when the program becomes somebody else
            .run();
    assertThat(result.output())
        .contains("no thread: java.io.IOException: Cannot run program \"true\"")
        .contains("no process: java.io.IOException: Cannot run program \"true\": Exec failed")
        .contains("ulimit -u")
        .contains("and then: 0")
        .endsWith("ended\n");
    assertThat(result.exitCode()).isZero();
  }
}
