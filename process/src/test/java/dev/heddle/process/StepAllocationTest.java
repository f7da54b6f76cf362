// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.heap.HeapHistogram;
import dev.heddle.process.HeapProgram.Subject;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a step, a message and the life of a process allocate, and what one keeps that is idle, to
/// the byte.
///
/// Each figure is taken in a JVM of its own that compiles nothing. What a compiler leaves out
/// depends on what it copied into what, and so on the machine and its load; what the code says does
/// not. Compiled, they allocate this or less.
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StepAllocationTest {
  private static final long ENVELOPE = 24;

  private static Map<String, Long> bytesOf(String subject)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(HeapHistogram.FLAGS);
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.addAll(List.of("-cp", classPath(), HeapProgram.class.getName(), subject));
    java.lang.Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    jvm.waitFor();
    return HeapHistogram.told(output);
  }

  /// The classes of a mutant first, where there are any.
  private static String classPath() {
    return String.join(
        File.pathSeparator,
        System.getProperty("heddle.classes", ""),
        place(Heddle.class),
        place(Process.class),
        place(HeapProgram.class));
  }

  private static String place(Class<?> of) {
    String file = "/" + of.getName().replace('.', '/') + ".class";
    String found = Objects.requireNonNull(of.getResource(file), file).toString();
    String root = found.substring(0, found.length() - file.length());
    return Path.of(URI.create(root.replace("jar:", "").replace("!", ""))).toString();
  }

  @Test
  @Tag("P6")
  void stepThatGoesOn_allocatesItsOutputAlone() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.STEP.name());
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(32);
  }

  @Test
  @Tag("P9")
  void message_allocatesItsEnvelopeAndAStep() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.MESSAGE.name());
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(88);
  }

  /// They are items of bursts. How many slices a burst is read in depends on when the receiver
  /// reads; 560 to 600 bytes were seen.
  @Test
  @Tag("P9")
  void messagesInARow_takeLessThanHalfOfAnEnvelopeEach() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.BURST.name());
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isLessThan(HeapProgram.IN_A_ROW * ENVELOPE / 2);
  }

  @Test
  @Tag("P6")
  void lifeOfAProcess_allocatesSoMuch() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.LIFE.name());
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(608);
  }

  /// What all processes pay that nobody looks at. A field for those who look would be seen here.
  @Test
  @Tag("watch-1")
  void idleProcess_keepsSoMuch() throws Exception {
    Map<String, Long> bytes = bytesOf(HeapProgram.IDLE);
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(208);
  }
}
