// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The kinds of JVMs in which tests run under mutants.
///
/// The tests of the core and of what stands on it load their classes anew for each mutant, so that
/// one JVM serves for all. Those of simulations have a JVM for each mutant: an agent, and what it
/// puts into `java.lang`, is there once. Those of voters, too: Ratis keeps the class loader of its
/// first server.
enum JvmKind {
  PLAIN(""),
  /// The log of voters.
  VOTERS(""),
  /// Simulations without the agent.
  SIMULATION(""),
  /// Simulations with the agent.
  AGENT(""),
  /// The agent's own tests.
  WORLD("=points=memory,packages=dev.heddle.world.programs.racy");

  private static final String JAR = "heddle-world-mutated.jar";

  private final String agentOptions;

  JvmKind(String agentOptions) {
    this.agentOptions = agentOptions;
  }

  /// @param withAgent whether the test needs the agent from the start of its JVM on
  static JvmKind of(String module, boolean withAgent) {
    return switch (module) {
      case "cluster-ratis" -> VOTERS;
      case "testkit/world" -> WORLD;
      case "testkit/test" -> withAgent ? AGENT : SIMULATION;
      default -> PLAIN;
    };
  }

  /// Whether one JVM can run tests under one mutant after the other.
  boolean loadsAnew() {
    return this == PLAIN;
  }

  /// What is not on the class path of the JVM, but loaded for each run.
  String pathOfEachRun(@Nullable Path mutated) {
    return loadsAnew() ? path(Stream.concat(Stream.ofNullable(mutated), classes())) : "";
  }

  /// The command that starts a worker.
  ///
  /// @param mutated the classes that a mutant changes
  List<String> command(@Nullable Path mutated) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // it lives for seconds: the first compiler is enough
    command.addAll(List.of("-ea", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g"));
    command.addAll(List.of("-Dheddle.reuse=on", "-Dheddle.root=" + Mutant.root()));
    command.add("--enable-native-access=ALL-UNNAMED"); // descriptors are watched by number natively
    if (this != WORLD) { // the agent opens what it needs
      for (String room : List.of("java.lang", "java.util.concurrent.locks", "jdk.internal.vm")) {
        command.addAll(List.of("--add-opens", "java.base/" + room + "=ALL-UNNAMED"));
      }
    }
    Stream<Path> own = Stream.of();
    if (this == VOTERS) {
      own = Stream.concat(Stream.ofNullable(mutated), classes());
    } else if (!loadsAnew()) {
      Path jar = jar(mutated);
      own = Stream.concat(Stream.ofNullable(mutated), Stream.concat(classes(), Stream.of(jar)));
      command.add("-XX:+EnableDynamicAgentLoading");
      command.add("-Dheddle.world.jar=" + jar);
      if (this != SIMULATION) {
        command.add("-javaagent:" + jar + agentOptions);
      }
    }
    Stream<Path> rest = classPath().filter(entry -> !isMutable(entry));
    command.addAll(List.of("-cp", path(Stream.concat(own, rest)), TestWorker.class.getName()));
    return command;
  }

  private Stream<Path> classes() {
    return switch (this) {
      case PLAIN ->
          Stream.concat(plainModules().map(Mutant::classes), plainModules().map(Mutant::tests));
      case VOTERS ->
          Stream.concat(
              Stream.of(Mutant.tests("cluster-ratis")),
              Stream.of("cluster-ratis", "cluster", "process", "core").map(Mutant::classes));
      case SIMULATION, AGENT ->
          Stream.of(
              Mutant.classes("testkit/test"),
              Mutant.tests("testkit/test"),
              Mutant.classes("core"),
              Mutant.classes("process"));
      case WORLD -> Stream.of(Mutant.tests("testkit/world"));
    };
  }

  private static Stream<String> plainModules() {
    return Mutant.MODULES.stream().filter(module -> of(module, false) == PLAIN);
  }

  /// The agent, with the classes that a mutant changes.
  private static Path jar(@Nullable Path mutated) throws IOException {
    Path jar = Path.of(System.getProperty("heddle.world.jar"));
    if (mutated == null) {
      return jar;
    }
    Path other = mutated.resolve(JAR);
    if (!Files.exists(other)) {
      Files.copy(jar, other);
      replaceClasses(other, mutated);
    }
    return other;
  }

  private static void replaceClasses(Path jar, Path mutated) throws IOException {
    try (FileSystem inside = FileSystems.newFileSystem(jar);
        Stream<Path> files = Files.walk(mutated)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        Path entry = inside.getPath(mutated.relativize(file).toString());
        if (Files.exists(entry)) { // those of other modules are on the class path
          Files.copy(file, entry, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  /// Classes that mutants change must not be the worker's own: each mutant brings other ones.
  private static boolean isMutable(Path entry) {
    return Mutant.MODULES.stream().anyMatch(module -> Mutant.classes(module).equals(entry))
        || entry
            .getFileName()
            .toString()
            .matches("heddle-(core|netty|process|cluster|context|world|test)-[^/]*[.]jar");
  }

  private static Stream<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of);
  }

  private static String path(Stream<Path> entries) {
    return entries
        .map(entry -> entry + (Files.isDirectory(entry) ? File.separator : ""))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
