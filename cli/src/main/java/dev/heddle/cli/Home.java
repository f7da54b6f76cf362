// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The project's folder, where `test`, `bench` and `soak` find their sources; the launcher passes
/// its path.
record Home(Path root) {
  private static final Map<String, String> MAVEN_ENVIRONMENT =
      Map.of("JAVA_HOME", System.getProperty("java.home"));

  /// The folder that the launcher passed; null when the jar was started without it.
  static @Nullable Home find() {
    String named = System.getenv("HEDDLE_HOME");
    if (named == null || !Files.isRegularFile(Path.of(named, "pom.xml"))) {
      return null;
    }
    return new Home(Path.of(named));
  }

  static String missing(String command) {
    return "heddle: '%s' needs the project's sources: start it with ./heddle in a checkout"
        .formatted(command);
  }

  /// A folder below the launcher's build folder.
  Path state(String name) {
    return root.resolve(".heddle").resolve(name);
  }

  /// Runs Maven with this JVM's JDK, the wrapper first, and returns its exit code.
  int maven(List<String> arguments) throws IOException, InterruptedException {
    return run(mavenLine(mavenCommand(), arguments), MAVEN_ENVIRONMENT);
  }

  /// Starts the same Maven, for a caller that reads its output.
  Function<List<String>, ProcessBuilder> maven() throws IOException, InterruptedException {
    String maven = mavenCommand();
    return arguments -> {
      var builder = new ProcessBuilder(mavenLine(maven, arguments)).directory(root.toFile());
      builder.environment().putAll(MAVEN_ENVIRONMENT);
      return builder;
    };
  }

  private List<String> mavenLine(String maven, List<String> arguments) {
    var line = new ArrayList<>(List.of(maven, "-B", "-ntp"));
    line.addAll(List.of("-f", root.resolve("pom.xml").toString()));
    line.addAll(arguments);
    return line;
  }

  /// The wrapper, or the system's Maven where the wrapper cannot fetch its own.
  private String mavenCommand() throws IOException, InterruptedException {
    String wrapper = root.resolve("mvnw").toString();
    String chosen = System.getenv("HEDDLE_MVN");
    if (chosen != null) {
      return chosen;
    }
    var probe = new ProcessBuilder(wrapper, "-v").directory(root.toFile());
    probe.environment().putAll(MAVEN_ENVIRONMENT);
    probe.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return probe.start().waitFor() == 0 ? wrapper : "mvn";
  }

  /// Runs a command in the project's folder with this process's terminal; it ends with us.
  int run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).directory(root.toFile()).inheritIO();
    builder.environment().putAll(environment);
    Process child = builder.start();
    Runnable end =
        () -> {
          child.descendants().forEach(ProcessHandle::destroy);
          child.destroy();
        };
    Runtime.getRuntime().addShutdownHook(new Thread(end));
    return child.waitFor();
  }
}
