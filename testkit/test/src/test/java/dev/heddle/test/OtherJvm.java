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

/// Runs main methods in JVMs of their own.
final class OtherJvm {
  private OtherJvm() {}

  /// What the main method of a class prints, in a JVM with further flags.
  static List<String> lines(Class<?> main, String... flags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Process jvm =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    // one that hangs, which these tests may find, must not hang the build
    CompletableFuture.delayedExecutor(10, TimeUnit.MINUTES).execute(jvm::destroyForcibly);
    String out = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jvm.waitFor(10, TimeUnit.MINUTES)).isTrue();
    assertThat(jvm.exitValue()).as(out).isZero();
    return out.lines().toList();
  }
}
