// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Standard input and output, of JVMs of their own.
@Tag("once")
@Tag("T14.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("STDIO")
class StdioTest {
  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Counts while it waits for a line, which its parent sends when it has counted.
  public static final class CountingProgram {
    private CountingProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        AsyncIo in = Stdio.in();
        Coroutine<String> line = Heddle.spawn(in::readLine);
        for (int i = 0; i < 1_000; i++) {
          Heddle.yieldNow();
        }
        Stdio.out().write(bytes("counted\n"));
        Stdio.out().write(bytes("got " + line.await() + "\n"));
        Stdio.err().write(bytes("and " + in.readLine() + "\n"));
      });
    }
  }

  /// Says what it gets from standard input.
  public static final class EchoProgram {
    private EchoProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        try {
          System.out.println("got " + Stdio.in().readLine());
          System.out.println("then " + Stdio.in().readLine());
        } catch (IOException e) {
          System.out.println("failed: " + e.getMessage());
        }
      });
    }
  }

  /// Two loops, one after the other; the first leaves early and reads ahead.
  public static final class TwoLoopsProgram {
    private TwoLoopsProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        try (AsyncIo in = Stdio.in()) {
          in.read(ByteBuffer.allocate(1), Deadline.after(Duration.ofMillis(1)));
        } catch (DeadlineException _) {
          System.out.println("waiting");
        }
      });
      Heddle.run(() -> {
        try (AsyncIo in = Stdio.in()) {
          System.out.println(in.readLine());
        }
      });
      Heddle.run(() -> System.out.println(Stdio.in().readLine()));
    }
  }

  /// Reads ahead, and leaves without closing.
  public static final class LeavingProgram {
    private LeavingProgram() {}

    public static void main(String[] args) {
      for (int i = 0; i < 3; i++) {
        Heddle.run(() -> System.out.println(Stdio.in().readLine()));
      }
    }
  }

  /// Closes while somebody reads.
  public static final class CloseProgram {
    private CloseProgram() {}

    public static void main(String[] args) {
      Heddle.run(() ->
          Heddle.supervise(() -> {
            AsyncIo in = Stdio.in();
            Coroutine<String> reader = Heddle.spawn(in::readLine);
            while (!reader.isSuspended()) {
              Heddle.yieldNow();
            }
            in.close();
            try {
              reader.await();
            } catch (RuntimeException e) {
              System.out.println("woken by " + e.getCause().getClass().getSimpleName());
            }
          }));
    }
  }

  private static Process start(Class<?> program, String redirection) throws IOException {
    List<String> line = ChildJvm.of(program).command();
    return new ProcessBuilder(concat(List.of("sh", "-c", "exec \"$@\" " + redirection, "sh"), line))
        .redirectErrorStream(true)
        .start();
  }

  private static List<String> concat(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  private static String output(Process child) throws Exception {
    String all = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(240, TimeUnit.SECONDS)).isTrue();
    return all;
  }

  @Test
  @Tag("loop-258")
  void otherCoroutines_runWhileOneReadsStandardInput() throws Exception {
    Process child = start(CountingProgram.class, "");
    BufferedReader out = child.inputReader(StandardCharsets.UTF_8);
    assertThat(out.readLine()).isEqualTo("counted");
    try (Writer in = child.outputWriter(StandardCharsets.UTF_8)) {
      in.write("one\ntwo\n");
    }
    assertThat(out.readLine()).isEqualTo("got one");
    assertThat(out.readLine()).isEqualTo("and two");
    assertThat(child.waitFor()).isZero();
  }

  @Test
  @Shows(Aspect.CLOSE)
  @Tag("trap-31")
  void close_underAReader_wakesHim() throws Exception {
    assertThat(output(start(CloseProgram.class, ""))).contains("AsynchronousCloseException");
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void whatALoopHasReadAhead_isThereForTheNext_alsoWithoutAClose() throws Exception {
    assertThat(output(start(LeavingProgram.class, "<<END\none\ntwo\nthree\nEND")))
        .isEqualTo("one\ntwo\nthree\n");
  }

  @Test
  @Tag("trap-36")
  @Shows(Aspect.END)
  void devNull_asStandardInput_isItsEnd() throws Exception {
    assertThat(output(start(EchoProgram.class, "< /dev/null"))).contains("got null", "then null");
  }

  @Test
  @Tag("trap-36")
  void closedStandardInput_isToldApartFromWhatTheJvmOpensInItsPlace() throws Exception {
    assertThat(output(start(EchoProgram.class, "<&-")))
        .contains("failed: standard input is closed")
        .doesNotContain("got ");
  }

  @Test
  @Tag("trap-36")
  @Shows(Aspect.INTEGRITY)
  void file_asStandardInput_isRead(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("in"), "one\ntwo\n");
    assertThat(output(start(EchoProgram.class, "< '" + file + "'"))).contains("got one");
  }

  @Test
  @Shows({Aspect.CANCEL, Aspect.DEADLINE})
  void whatOneLoopHasNotTaken_theNextOneFinds() throws Exception {
    Process child = start(TwoLoopsProgram.class, "");
    BufferedReader out = child.inputReader(StandardCharsets.UTF_8);
    assertThat(out.readLine()).isEqualTo("waiting");
    try (Writer in = child.outputWriter(StandardCharsets.UTF_8)) {
      in.write("one\ntwo\n");
    }
    assertThat(out.readLine()).isEqualTo("one");
    assertThat(out.readLine()).isEqualTo("two");
    assertThat(child.waitFor()).isZero();
  }

  @Test
  @Shows(Aspect.END)
  void output_thatIsNotRead_failsTheWriter() throws Exception {
    Process child = start(CountingProgram.class, "");
    child.getInputStream().close();
    child.outputWriter(StandardCharsets.UTF_8).append("one\n").close();
    assertThat(child.waitFor()).isNotZero();
  }
}
