// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Terminals: JVMs of their own on pseudo terminals, which the program `script` makes.
@Tag("once")
@Tag("T14.5")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("TTY")
class TtyTest {
  @TempDir Path folder;

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /// What each program does with a terminal.
  private static void withTerminal(Body body) {
    Heddle.run(() -> {
      Terminal terminal = Tty.open();
      body.run(terminal);
    });
  }

  @FunctionalInterface
  private interface Body {
    void run(Terminal terminal) throws Exception;
  }

  /// Says how big it is.
  public static final class SizeProgram {
    private SizeProgram() {}

    public static void main(String[] args) {
      withTerminal(t -> t.write(bytes("size " + t.size() + "\n")));
    }
  }

  /// Reads one key, and leaves without closing.
  public static final class KeyProgram {
    private KeyProgram() {}

    public static void main(String[] args) {
      withTerminal(t -> {
        t.raw();
        t.write(bytes("raw\r\n"));
        ByteBuffer key = ByteBuffer.allocate(1);
        t.read(key);
        t.write(bytes("key " + key.get(0) + "\r\n"));
      });
    }
  }

  /// Leaves a read, and reads anew.
  public static final class CancelProgram {
    private CancelProgram() {}

    public static void main(String[] args) {
      withTerminal(t -> {
        Coroutine<Integer> reader = Heddle.spawn(() -> t.read(ByteBuffer.allocate(1)));
        while (!reader.isSuspended()) {
          Heddle.yieldNow();
        }
        reader.cancel("enough");
        try {
          reader.await();
        } catch (Cancellation _) {
          t.write(bytes("left\n"));
        }
        t.write(bytes("line " + t.readLine() + "\n"));
      });
    }
  }

  /// Closes while somebody reads.
  public static final class CloseProgram {
    private CloseProgram() {}

    public static void main(String[] args) {
      withTerminal(t ->
          Heddle.supervise(s -> {
            t.raw();
            Coroutine<String> reader = Heddle.spawn(t::readLine);
            while (!reader.isSuspended()) {
              Heddle.yieldNow();
            }
            t.write(bytes("read by " + reader.name() + "\r\n"));
            t.close();
            try {
              reader.await();
            } catch (RuntimeException e) {
              System.out.println("woken by " + e.getCause().getClass().getSimpleName() + "\r");
            }
            return null;
          }));
    }
  }

  /// Waits for ever, or ends the JVM on the spot.
  public static final class StayProgram {
    private StayProgram() {}

    public static void main(String[] args) {
      withTerminal(t -> {
        t.raw();
        System.out.println("pid " + ProcessHandle.current().pid() + "\r");
        if (args.length == 0) {
          t.read(ByteBuffer.allocate(1));
        }
        Runtime.getRuntime().exit(3);
      });
    }
  }

  /// Leaves its loop with the terminal raw, and goes on without one.
  public static final class AfterwardsProgram {
    private AfterwardsProgram() {}

    public static void main(String[] args) throws IOException {
      String before = settings();
      String[] during = new String[1];
      withTerminal(t -> {
        t.raw();
        during[0] = settings();
      });
      boolean wasChanged = !before.equals(during[0]);
      System.out.println("changed " + wasChanged + ", put back " + before.equals(settings()));
    }

    private static String settings() throws IOException {
      Process stty = new ProcessBuilder("stty", "-g").redirectInput(new File("/dev/tty")).start();
      return new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// Holds the loop while the JVM ends.
  public static final class HoldProgram {
    private HoldProgram() {}

    public static void main(String[] args) {
      var soon = Duration.ofMillis(1);
      Heddle.run(
          HeddleOptions.defaults().withShutdownDeadline(soon).withGracePeriod(soon),
          () -> {
            Tty.open().raw();
            System.out.println("raw\r");
            Thread.ofPlatform().start(() -> Runtime.getRuntime().exit(3));
            while (true) {
              Thread.onSpinWait();
            }
          });
    }
  }

  /// Asks for a password.
  public static final class PasswordProgram {
    private PasswordProgram() {}

    public static void main(String[] args) {
      withTerminal(t -> {
        String password = t.readPassword("Password: ");
        t.write(bytes("length " + password.length() + "\n"));
      });
    }
  }

  /// Says why there is none.
  public static final class NoneProgram {
    private NoneProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        try (Terminal _ = Tty.open()) {
          System.out.println("there is one");
        } catch (IOException e) {
          System.out.println(e.getMessage());
        }
      });
    }
  }

  // ---- running them ----

  private static void require(String program) {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
        program + " is not installed: what a program does with its terminal is not proved here");
  }

  private static String quoted(Class<?> program, String... arguments) {
    return ChildJvm.of(program).withArguments(arguments).command().stream()
        .map(s -> "'" + s + "'")
        .collect(Collectors.joining(" "));
  }

  /// Runs shell commands on a pseudo terminal of their own.
  private static Process onTerminal(String commands) throws IOException {
    require("script");
    ProcessBuilder script =
        new ProcessBuilder("script", "-qec", commands, "/dev/null").redirectErrorStream(true);
    script.environment().put("SHELL", "/bin/sh"); // whatever the user's is: `script` runs that
    return script.start();
  }

  private Process betweenSettings(Class<?> program, String... arguments) throws IOException {
    return onTerminal(
        "stty -g > "
            + folder.resolve("before")
            + "; "
            + quoted(program, arguments)
            + "; stty -g > "
            + folder.resolve("after"));
  }

  private void assertRestored() throws IOException {
    assertThat(folder.resolve("after")).hasSameTextualContentAs(folder.resolve("before"));
    assertThat(Files.readString(folder.resolve("before"))).isNotBlank();
  }

  private static String line(BufferedReader from, String containing) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = from.readLine(); line != null; line = from.readLine()) {
      if (line.contains(containing)) {
        return line;
      }
      all.append(line).append('\n');
    }
    throw new AssertionError("no line with '" + containing + "' in:\n" + all);
  }

  private static void ended(Process child) throws InterruptedException {
    assertThat(child.waitFor(240, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void size_isWhatTheTerminalHas() throws Exception {
    Process child = onTerminal("stty rows 31 cols 77; " + quoted(SizeProgram.class));
    assertThat(line(child.inputReader(), "size")).contains("columns=77, rows=31");
    ended(child);
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void rawKeys_comeOneByOne_andTheLoopsEndPutsTheModesBack() throws Exception {
    Process child = betweenSettings(KeyProgram.class);
    BufferedReader out = child.inputReader();
    line(out, "raw");
    try (Writer keyboard = child.outputWriter()) {
      keyboard.write('x');
      keyboard.flush();
      assertThat(line(out, "key")).contains("key 120");
      ended(child);
    }
    assertRestored();
  }

  @Test
  @Shows(Aspect.CANCEL)
  @Tag("loop-258")
  void cancelledReader_leavesAllToTheNext() throws Exception {
    Process child = onTerminal("stty -echo; " + quoted(CancelProgram.class));
    BufferedReader out = child.inputReader();
    line(out, "left");
    try (Writer keyboard = child.outputWriter()) {
      keyboard.write("abc\n");
      keyboard.flush();
      assertThat(line(out, "line")).contains("line abc");
      ended(child);
    }
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_underAReader_wakesHimAndPutsTheModesBack() throws Exception {
    Process child = betweenSettings(CloseProgram.class);
    BufferedReader out = child.inputReader();
    assertThat(line(out, "woken")).contains("AsynchronousCloseException");
    ended(child);
    assertRestored();
  }

  @Test
  void sigterm_underAReader_putsTheModesBack() throws Exception {
    Process child = betweenSettings(StayProgram.class);
    String pid = line(child.inputReader(), "pid").replaceAll("\\D+", "");
    assertThat(ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroy()).isTrue();
    ended(child);
    assertRestored();
  }

  @Test
  void endOfTheLoop_putsTheModesBack_alsoWhenTheJvmGoesOn() throws Exception {
    Process child = onTerminal(quoted(AfterwardsProgram.class));
    assertThat(line(child.inputReader(), "changed")).contains("changed true, put back true");
    ended(child);
  }

  @Test
  void exit_byACoroutine_putsTheModesBack() throws Exception {
    Process child = betweenSettings(StayProgram.class, "exit");
    line(child.inputReader(), "pid");
    ended(child);
    assertRestored();
  }

  @Test
  void exit_whileTheLoopIsHeld_putsTheModesBack() throws Exception {
    Process child = betweenSettings(HoldProgram.class);
    line(child.inputReader(), "raw");
    ended(child);
    assertRestored();
  }

  @Test
  void password_isNotShown() throws Exception {
    Process child = betweenSettings(PasswordProgram.class);
    BufferedReader out = child.inputReader();
    StringBuilder shown = new StringBuilder();
    while (!shown.toString().contains("Password: ")) {
      shown.append((char) out.read());
    }
    try (Writer keyboard = child.outputWriter()) {
      keyboard.write("secret\n");
      keyboard.flush();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        shown.append(line).append('\n');
      }
    }
    ended(child);
    assertThat(shown.toString()).contains("length 6").doesNotContain("secret");
    assertRestored();
  }

  @Test
  @Tag("T20")
  @Tag("trap-36")
  void programWithoutATerminal_isToldSo() throws Exception {
    require("setsid");
    List<String> command = ChildJvm.of(NoneProgram.class).command();
    Process child =
        new ProcessBuilder(Stream.concat(Stream.of("setsid"), command.stream()).toList())
            .redirectErrorStream(true)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).contains("this program has no terminal").contains("docker run -it");
    ended(child);
  }
}
