// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A program of tests, mostly [NodeProgram], in a JVM of its own. It is killed by its process when
/// it is closed.
public final class NodeJvm implements AutoCloseable {
  /// A property: the jar of voters, for programs that vote. This module's build has none.
  static final String VOTERS_JAR = "heddle.ratis.jar";

  private static final long GUARD_SECONDS = 240; // only a hang takes so long
  private static final Line END = new Line(0, "");

  private final java.lang.Process process;
  private final PrintStream in;
  private final BlockingQueue<Line> next = new LinkedBlockingQueue<>();
  private final List<String> all = new CopyOnWriteArrayList<>();

  /// What it has said.
  ///
  /// @param millis of the wall clock
  public record Line(long millis, String text) {}

  private NodeJvm(java.lang.Process process) {
    this.process = process;
    this.in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().start(this::read);
  }

  static NodeJvm start(List<String> jvmOptions, Object... arguments) throws IOException {
    return start(NodeProgram.class, jvmOptions, arguments);
  }

  /// Starts a program of tests.
  public static NodeJvm start(Class<?> program, List<String> jvmOptions, Object... arguments)
      throws IOException {
    return startBy(List.of(), program, jvmOptions, arguments);
  }

  /// @param launcher a command that becomes the JVM: it does not start it as its child
  static NodeJvm startBy(
      List<String> launcher, Class<?> program, List<String> jvmOptions, Object... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(java());
    command.addAll(NodeClasses.shared().options());
    command.addAll(jvmOptions);
    command.add(program.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new NodeJvm(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  /// The command of a JVM.
  static List<String> java() {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", // starts sooner, with fewer threads
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED"));
  }

  private void read() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        all.add(line);
        String[] parts = line.split(" ", 2);
        if (parts.length == 2 && parts[0].matches("\\d{13}")) {
          next.add(new Line(Long.parseLong(parts[0]), parts[1]));
        }
      }
    } catch (IOException e) {
      // safe: it was killed, and said nothing more
    } finally {
      next.add(END);
    }
  }

  /// Waits for a line that begins with one of these; what comes before it is dropped.
  public Line waitFor(String... begins) throws InterruptedException {
    while (true) {
      Line line = next.poll(GUARD_SECONDS, TimeUnit.SECONDS);
      if (line == null) {
        throw new AssertionError("no line '" + String.join("', '", begins) + "' after " + all);
      }
      if (line.equals(END)) {
        next.add(END); // for whoever waits next
        throw new AssertionError(
            "ended without a line '" + String.join("', '", begins) + "' after " + all);
      }
      if (Stream.of(begins).anyMatch(line.text::startsWith)) {
        return line;
      }
    }
  }

  /// Waits for lines that begin with each of these, in any order.
  ///
  /// @return the first of each, in the order of the arguments
  List<Line> waitForAll(String... begins) throws InterruptedException {
    Map<String, Line> found = new HashMap<>();
    while (found.size() < begins.length) {
      Line line =
          waitFor(Stream.of(begins).filter(it -> !found.containsKey(it)).toArray(String[]::new));
      Stream.of(begins).filter(line.text::startsWith).forEach(it -> found.putIfAbsent(it, line));
    }
    return Stream.of(begins).map(found::get).toList();
  }

  List<String> all() {
    return all;
  }

  /// The last lines that are not said to its test.
  String logged(int most) {
    List<String> lines = all.stream().filter(it -> !it.matches("\\d{13} .*")).toList();
    return "process %d:%n%s%n"
        .formatted(
            pid(),
            String.join("\n", lines.subList(Math.max(0, lines.size() - most), lines.size())));
  }

  void say(String command) {
    in.println(command);
  }

  /// Whether it has not ended.
  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /// What `ss -ltn` shows for it: the addresses of its TCP sockets in state LISTEN.
  Set<String> listening() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (var files = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
      for (Path file : files.toList()) {
        String target = Files.isSymbolicLink(file) ? readLink(file) : "";
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring(8, target.length() - 1));
        }
      }
    }
    Set<String> addresses = new TreeSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net/" + table))) {
        String[] columns = line.strip().split("\\s+");
        if (columns[3].equals("0A") && inodes.contains(columns[9])) {
          addresses.add(address(columns[1]));
        }
      }
    }
    return addresses;
  }

  private static String readLink(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /// Of `0100007F:1DB0`, or an address of version 6 whose last four bytes are those.
  private static String address(String hex) {
    int colon = hex.indexOf(':');
    String four = hex.substring(colon - 8, colon);
    List<String> bytes = new ArrayList<>();
    for (int i = 6; i >= 0; i -= 2) {
      bytes.add("" + Integer.parseInt(four.substring(i, i + 2), 16));
    }
    return String.join(".", bytes) + ":" + Integer.parseInt(hex.substring(colon + 1), 16);
  }

  /// Sends a signal by its name, as STOP.
  void signal(String name) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill -" + name + " " + pid() + " failed");
    }
  }

  /// Stops it for a time, by a shell, which resumes it also when this program was killed meanwhile.
  ///
  /// @return the shell, which ends then
  java.lang.Process stop(long millis) throws IOException {
    return stopping(millis, "").inheritIO().start();
  }

  /// Stops it for a time, and on until the shell's input is closed, as the end of this program
  /// does.
  ///
  /// @return the shell, which ends then
  java.lang.Process stopUntilClosed(long millis) throws IOException {
    return stopping(millis, "read _; ").start();
  }

  private ProcessBuilder stopping(long millis, String then) {
    String script =
        "kill -STOP %d && sleep %d.%03d; %skill -CONT %d"
            .formatted(pid(), millis / 1_000, millis % 1_000, then, pid());
    return new ProcessBuilder("sh", "-c", script);
  }

  /// As kill -9.
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
