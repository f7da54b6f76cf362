// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A copy of the project as the launcher sees it, whose Maven wrapper hands out the jar that this
/// build made.
final class Checkout {
  private static final Path PROJECT = Path.of(System.getProperty("heddle.root"));
  private static final Path JAR = Path.of(System.getProperty("heddle.jar"));

  private final Path root;

  private Checkout(Path root) {
    this.root = root;
  }

  static Checkout in(Path folder) throws IOException {
    var checkout = new Checkout(Files.createDirectories(folder));
    Files.copy(
        PROJECT.resolve("heddle"), folder.resolve("heddle"), StandardCopyOption.COPY_ATTRIBUTES);
    checkout.write("pom.xml", "<project/>");
    for (String source : List.of("core/pom.xml", "core/src/main/A.java", "cli/pom.xml")) {
      checkout.write(source, "");
    }
    checkout.write(
        "cli/src/main/aot/Training.java",
        Files.readString(PROJECT.resolve("cli/src/main/aot/Training.java")));
    checkout.wrapper("echo '[INFO] Scanning for projects'\n" + handOutJar());
    return checkout;
  }

  /// One that has built and trained with the JDK of this test, for all tests that only run
  /// programs.
  static Checkout ready() {
    return Ready.ONE;
  }

  private static final class Ready {
    static final Checkout ONE = make();

    private static Checkout make() {
      try {
        var checkout =
            in(Files.createTempDirectory(JAR.getParent(), "checkout").resolve("project"));
        assertThat(checkout.heddle("--version").code()).isZero();
        return checkout;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /// Script text that does what the build does, and notes that it ran.
  static String handOutJar() {
    return """
    echo built >> builds
    for word; do case $word in -Dquick.root=*) out=${word#*=} ;; esac; done
    mkdir -p "$out/heddle-cli" && cp '%s' "$out/heddle-cli/heddle.jar"
    mkdir -p "$out/heddle-cluster-ratis"
    voters=$out/heddle-cluster-ratis/heddle-cluster-ratis-0.jar
    printf 'PK\\005\\006' > "$voters" && head -c 18 /dev/zero >> "$voters" # a jar without entries
    """
        .formatted(JAR);
  }

  /// Puts `text` where the caches of this test's JDK belong, which spares the training.
  void caches(String text) throws IOException {
    caches(text, Path.of(System.getProperty("java.home")));
  }

  void caches(String text, Path jdk) throws IOException {
    Path aot = root.resolve(".heddle/aot");
    String times = seconds(root.resolve(".heddle/heddle.jar")) + seconds(jdk.resolve("bin/java"));
    String version = Files.readString(jdk.resolve("release"));
    String number = version.replaceFirst("(?s).*JAVA_VERSION=\"([^\"]*)\".*", "$1");
    String id = (number + "-" + jdk).replaceAll("[^A-Za-z0-9.]", "_");
    write(aot.resolve(id).resolve("times").toString(), times);
    write(aot.resolve(id).resolve("command").toString(), text);
    write(aot.resolve(id).resolve("run").toString(), text);
  }

  private static String seconds(Path file) throws IOException {
    return Files.getLastModifiedTime(file).to(TimeUnit.SECONDS) + "\n";
  }

  long cachesThatSay(String text) throws IOException {
    long count = 0;
    try (Stream<Path> all = Files.walk(root.resolve(".heddle/aot"))) {
      for (Path cache :
          all.filter(file -> file.endsWith("run") || file.endsWith("command")).toList()) {
        count += Files.readString(cache).equals(text) ? 1 : 0;
      }
    }
    return count;
  }

  Path root() {
    return root;
  }

  Path write(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  Path script(String name, String text) throws IOException {
    Path file = write(name, "#!/bin/sh\n" + text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  void wrapper(String text) throws IOException {
    script("mvnw", text);
  }

  /// A JDK that only says how it was called.
  Path fakeJdk(String name, String version) throws IOException {
    write(name + "/release", "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
    script(name + "/bin/javac", "exit 1\n");
    script(
        name + "/bin/java",
        "echo \"home $(dirname \"$(dirname \"$0\")\")\"; for a; do echo \"arg $a\"; done\n");
    return root.resolve(name);
  }

  /// Makes a source newer than the last build, whatever the clock's grain.
  void touch(String name) throws IOException {
    Files.setLastModifiedTime(root.resolve(name), FileTime.from(Instant.now().plusSeconds(60)));
  }

  long builds() throws IOException {
    Path log = root.resolve("builds");
    return Files.exists(log) ? Files.readAllLines(log).size() : 0;
  }

  Outcome heddle(String... arguments) throws IOException, InterruptedException {
    return heddle(Map.of(), arguments);
  }

  /// Runs the launcher with the JDK of this test.
  Outcome heddle(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return Outcome.of(command(arguments), root, withJdk(environment), "");
  }

  Outcome heddleReading(String input, String... arguments)
      throws IOException, InterruptedException {
    return Outcome.of(command(arguments), root, withJdk(Map.of()), input);
  }

  Outcome.Started start(String... arguments) throws IOException {
    return Outcome.start(command(arguments), root, withJdk(Map.of()), "");
  }

  /// Runs the launcher on a terminal on which something was written before.
  PseudoTerminal onTerminal(int columns, int rows, String before, String... arguments)
      throws IOException {
    String words = String.join("' '", command(arguments));
    return new PseudoTerminal(
        columns,
        rows,
        List.of("sh", "-c", "echo " + before + "; exec '" + words + "'"),
        root.toFile(),
        withJdk(Map.of()));
  }

  private List<String> command(String... arguments) {
    var command = new ArrayList<>(List.of(root.resolve("heddle").toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  static Map<String, String> withJdk(Map<String, String> environment) {
    var all = new HashMap<String, String>();
    all.put("HEDDLE_JAVA_HOME", System.getProperty("java.home"));
    all.putAll(environment);
    return all;
  }
}
