// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;

/// Compiles sources of pages and of other folders, and runs them in JVMs of their own.
final class PageJvm {
  private PageJvm() {}

  /// The root of the checkout.
  static Path root() {
    return Path.of(System.getProperty("heddle.root", "../.."));
  }

  /// The option that starts the agent.
  static String agent() {
    return "-javaagent:" + System.getProperty("heddle.world.jar");
  }

  static void compile(List<Path> sources, Path classes) throws IOException {
    Files.createDirectories(classes);
    List<String> command = new ArrayList<>(List.of("-cp", classPath(), "-d", classes.toString()));
    sources.forEach(source -> command.add(source.toString()));
    int code =
        ToolProvider.getSystemJavaCompiler().run(null, null, null, command.toArray(String[]::new));
    assertThat(code).isZero();
  }

  /// What `main` prints, in a JVM with one compiler: it lives for seconds.
  static String run(List<String> options, Path classes, String main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.addAll(List.of("-cp", classes + File.pathSeparator + classPath(), main));
    command.addAll(arguments);
    Process jvm =
        new ProcessBuilder(command)
            .directory(classes.toFile()) // outside of the checkout, as the page's project is
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    // one that hangs, which these tests may find, must not hang the build
    CompletableFuture.delayedExecutor(10, TimeUnit.MINUTES).execute(jvm::destroyForcibly);
    String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jvm.waitFor()).as(output).isZero();
    return output;
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }
}
