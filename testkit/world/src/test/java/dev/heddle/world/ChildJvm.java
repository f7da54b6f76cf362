// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// JVMs that tests start.
final class ChildJvm {
  static final String JAR = System.getProperty("heddle.world.jar");
  private static final String TESTS =
      Path.of(ChildJvm.class.getProtectionDomain().getCodeSource().getLocation().getPath())
          .toString();

  private ChildJvm() {}

  /// Runs `main` with the agent.
  ///
  /// @return all that it has written
  static String run(Class<?> main, List<String> flags) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(flags);
    all.add("-javaagent:" + JAR);
    return runPlain(main, all);
  }

  /// Runs `main` with these flags only.
  static String runPlain(Class<?> main, List<String> flags, String... arguments)
      throws IOException, InterruptedException {
    return run(TESTS + System.getProperty("path.separator") + JAR, main, flags, arguments);
  }

  /// The same, with the tests only on the class path.
  static String runOnModulePath(Class<?> main, List<String> flags)
      throws IOException, InterruptedException {
    return run(TESTS, main, flags);
  }

  private static String run(
      String classPath, Class<?> main, List<String> flags, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(classPath);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    child.getOutputStream().close();
    // one that hangs, which these tests may find, must not hang the build
    CompletableFuture.delayedExecutor(10, TimeUnit.MINUTES).execute(child::destroyForcibly);
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    child.waitFor();
    return output;
  }
}
