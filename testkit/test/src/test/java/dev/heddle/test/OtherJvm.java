// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A JVM of its own that runs a main method.
final class OtherJvm {
  private final Process jvm;

  private OtherJvm(Process jvm) {
    this.jvm = jvm;
  }

  /// Starts a JVM with further flags.
  static OtherJvm start(Class<?> main, List<String> flags, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    Process jvm =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    // one that hangs, which these tests may find, must not hang the build
    CompletableFuture.delayedExecutor(10, TimeUnit.MINUTES).execute(jvm::destroyForcibly);
    return new OtherJvm(jvm);
  }

  /// What the main method of a class prints, in a JVM with further flags.
  static List<String> lines(Class<?> main, String... flags)
      throws IOException, InterruptedException {
    return start(main, List.of(flags)).lines();
  }

  /// Waits for its end.
  ///
  /// @return what it has printed
  List<String> lines() throws IOException, InterruptedException {
    String out = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jvm.waitFor(10, TimeUnit.MINUTES)).isTrue();
    assertThat(jvm.exitValue()).as(out).isZero();
    return out.lines().toList();
  }
}
