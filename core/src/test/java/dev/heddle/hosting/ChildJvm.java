// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A program of the tests' in a JVM of its own, with the flag that Heddle needs and the reuse mode
/// and driver of this run.
public final class ChildJvm {
  private static final long GUARD_SECONDS = 600;
  private static final long STACKS_SECONDS = 30;
  private static final @Nullable String DRIVER = System.getProperty("heddle.driver");
  // the second lowest bit of a mask in hexadecimal is that of signal 2
  private static final Pattern INTERRUPT_IGNORED = Pattern.compile("SigIgn:.*[2367abef]");

  private final Class<?> program;
  private final List<String> options = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private String first = ""; // what a shell does before it becomes the child
  private List<String> outermost = List.of(); // what becomes that shell
  private @Nullable String archives; // a class path without folders

  private ChildJvm(Class<?> program) {
    this.program = program;
  }

  /// What a child left behind.
  ///
  /// @param output standard output and error, mixed
  public record Result(int exitCode, String output) {}

  /// A child that runs `program`'s main method.
  public static ChildJvm of(Class<?> program) {
    return new ChildJvm(program);
  }

  /// Adds options of the JVM.
  public ChildJvm with(String... jvmOptions) {
    Collections.addAll(options, jvmOptions);
    return this;
  }

  /// Adds arguments of the program.
  public ChildJvm withArguments(String... words) {
    Collections.addAll(arguments, words);
    return this;
  }

  /// Runs from archives, as programs do, so that classes need no descriptor of their own.
  ///
  /// @param file where to put it
  public ChildJvm from(Path file) throws IOException {
    Set<String> packed = new HashSet<>();
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
      for (String place : classPath().split(File.pathSeparator)) {
        if (Files.isDirectory(Path.of(place))) {
          pack(Path.of(place), packed, jar);
        }
      }
    }
    archives =
        Stream.concat(Stream.of(file.toString()), Stream.of(classPath().split(File.pathSeparator)))
            .filter(place -> !Files.isDirectory(Path.of(place)))
            .collect(Collectors.joining(File.pathSeparator));
    return this;
  }

  private static void pack(Path folder, Set<String> packed, JarOutputStream jar)
      throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(ChildJvm::isPacked).toList()) {
        String name = folder.relativize(file).toString();
        if (packed.add(name)) {
          jar.putNextEntry(new JarEntry(name));
          Files.copy(file, jar);
          jar.closeEntry();
        }
      }
    }
  }

  private static boolean isPacked(Path file) {
    String name = file.toString();
    return Files.isRegularFile(file)
        && !file.endsWith("module-info.class")
        && (name.endsWith(".class") || name.contains("META-INF" + File.separator + "services"));
  }

  /// Limits the descriptors that the child may have open.
  public ChildJvm withOpenFiles(int limit) {
    first = "ulimit -n " + limit + " && ";
    return this;
  }

  /// Starts the child so that it ignores a signal.
  public ChildJvm ignoring(String signal) {
    first = "trap '' " + signal + " && ";
    return this;
  }

  /// Starts the child in a user and mount namespace of its own, which a shell changes first.
  public ChildJvm inNamespaces(String change) {
    // without /proc the launcher does not find the libraries beside it
    first = change + "export LD_LIBRARY_PATH=" + System.getProperty("java.home") + "/lib && ";
    outermost = List.of("unshare", "--map-root-user", "--mount");
    return this;
  }

  /// Runs it to its end.
  ///
  /// @throws AssertionError when it does not end by itself, with its stacks; or when a process that
  ///   it has started keeps its output open
  public Result run() throws IOException, InterruptedException {
    Process child = new ProcessBuilder(command()).redirectErrorStream(true).start();
    StringBuilder output = new StringBuilder();
    Thread reader = Thread.ofPlatform().daemon().start(() -> read(child.getInputStream(), output));
    child.getOutputStream().close();
    if (!child.waitFor(GUARD_SECONDS, TimeUnit.SECONDS)) {
      String stacks = stacks(child.pid());
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      child.destroyForcibly().waitFor();
      reader.join(Duration.ofSeconds(GUARD_SECONDS));
      throw new AssertionError(
          "the child did not end by itself; it said:\n" + output + "\nIts stacks:\n" + stacks);
    }
    if (!reader.join(Duration.ofSeconds(GUARD_SECONDS))) {
      throw new AssertionError("the child has ended, and another process has its output open");
    }
    return new Result(child.exitValue(), output.toString());
  }

  private static String stacks(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process asked =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "Thread.print")
            .redirectErrorStream(true)
            .start();
    asked.getOutputStream().close();
    StringBuilder stacks = new StringBuilder();
    Thread reader = Thread.ofPlatform().daemon().start(() -> read(asked.getInputStream(), stacks));
    if (!asked.waitFor(STACKS_SECONDS, TimeUnit.SECONDS)) {
      asked.destroyForcibly().waitFor();
      return "none within " + STACKS_SECONDS + " s";
    }
    reader.join();
    return stacks.toString();
  }

  private static void read(InputStream from, StringBuilder into) {
    try {
      into.append(new String(from.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The command that starts it, for tests that redirect its input or output.
  public List<String> command() {
    List<String> line = new ArrayList<>(outermost);
    if (isInterruptIgnored()) {
      Collections.addAll(line, "env", "--default-signal=INT");
    }
    if (!first.isEmpty()) {
      Collections.addAll(line, "sh", "-c", first + "exec \"$@\"", "sh");
    }
    Collections.addAll(
        line,
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--add-opens",
        "java.base/java.lang=ALL-UNNAMED",
        "-Dheddle.reuse=" + System.getProperty("heddle.reuse", "on"));
    if (options.stream().noneMatch(option -> option.startsWith("-XX:CompileCommand"))) {
      line.add("-XX:TieredStopAtLevel=1"); // the second one comes too late for it
    }
    if (DRIVER != null) {
      Collections.addAll(line, "--enable-native-access=ALL-UNNAMED", "-Dheddle.driver=" + DRIVER);
    }
    line.add("-Dheddle.watchdog=off"); // a busy machine would put its words among the program's
    line.addAll(options);
    Collections.addAll(line, "-cp", classPath(), program.getName());
    line.addAll(arguments);
    return line;
  }

  /// Whether this process was started to ignore SIGINT, as a build in the background of a shell is.
  /// A child would inherit that, and no JVM handles a signal that it was started to ignore.
  public static boolean isInterruptIgnored() {
    Path status = Path.of("/proc/self/status"); // there on Linux only
    try {
      return Files.exists(status)
          && Files.readAllLines(status).stream().anyMatch(INTERRUPT_IGNORED.asMatchPredicate());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String classPath() {
    if (archives != null) {
      return archives;
    }
    if (DRIVER != null) {
      return System.getProperty(
          "surefire.test.class.path", System.getProperty("java.class.path", ""));
    }
    return System.getProperty("heddle.classes") + File.pathSeparator + root();
  }

  private Path root() {
    String file = program.getName().replace('.', '/') + ".class";
    try {
      Path folder =
          Path.of(Objects.requireNonNull(program.getClassLoader().getResource(file), file).toURI());
      for (int i = Path.of(file).getNameCount(); i > 0; i--) {
        folder = Objects.requireNonNull(folder.getParent());
      }
      return folder;
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
