// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/// The classes of nodes in JVMs of their own: the class path of the tests, with a jar in place of
/// each folder, and an archive of those that a node loads. A node that starts with both takes 0.6 s
/// of processor time in place of 1.0 s.
///
/// The first JVM of tests that needs them makes them; the others wait for it, and use the same.
final class NodeClasses {
  private static final String STAMP = "stamp"; // of what they were made of; written last
  private static final String ARCHIVE = "classes.jsa";
  private static final Duration GUARD = Duration.ofMinutes(10); // only a hang takes so long

  private static final FutureTask<NodeClasses> SHARED = new FutureTask<>(NodeClasses::make);

  private final List<Path> path;
  private final Path archive;

  private NodeClasses(List<Path> path, Path archive) {
    this.path = path;
    this.archive = archive;
  }

  /// Those of all nodes of this JVM, which the first call makes. When that fails, each call says
  /// why.
  static NodeClasses shared() {
    SHARED.run(); // once
    try {
      return SHARED.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the classes of nodes could not be made", e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Options of the JVM. One that cannot use the archive starts without.
  List<String> options() {
    return List.of(
        "-cp", joined(path), "-Xlog:cds=off", "-Xlog:aot=off", "-XX:SharedArchiveFile=" + archive);
  }

  private static NodeClasses make() throws IOException, InterruptedException {
    List<Path> entries = classPath();
    Path folder = testClasses().resolveSibling("node-classes-" + hash(joined(entries)));
    List<Path> jars = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      Path entry = entries.get(i);
      jars.add(Files.isDirectory(entry) ? folder.resolve(i + ".jar") : entry);
    }
    NodeClasses made = new NodeClasses(jars, folder.resolve(ARCHIVE));
    Files.createDirectories(folder);
    try (FileChannel file =
            FileChannel.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = file.lock()) {
      made.makeUnlessPresent(entries, folder.resolve(STAMP));
    }
    return made;
  }

  private void makeUnlessPresent(List<Path> entries, Path stampFile)
      throws IOException, InterruptedException {
    String stamp = stamp(entries);
    if (Files.exists(stampFile) && Files.readString(stampFile).equals(stamp)) {
      return;
    }
    Files.deleteIfExists(archive);
    for (int i = 0; i < entries.size(); i++) {
      if (Files.isDirectory(entries.get(i))) {
        pack(entries.get(i), path.get(i));
      }
    }
    train();
    Files.writeString(stampFile, stamp);
  }

  /// Starts nodes that do what nodes do, and end.
  private void train() throws IOException, InterruptedException {
    List<String> command = NodeJvm.java();
    command.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, "-cp", joined(path)));
    command.add(NodeTraining.class.getName());
    run(command, archive.resolveSibling("training.log"), GUARD);
  }

  /// Runs a program to its end.
  ///
  /// @param output a file for what it says
  /// @throws IOException with that, if it fails or does not end
  static void run(List<String> command, Path output, Duration guard)
      throws IOException, InterruptedException {
    java.lang.Process program =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean hasEnded;
    try {
      hasEnded = program.waitFor(guard);
    } finally {
      var _ = program.destroyForcibly();
    }
    int code = program.waitFor();
    if (!hasEnded || code != 0) {
      String how = hasEnded ? "has failed with " + code : "had not ended after " + guard;
      throw new IOException(command + " " + how + "; it said:\n" + Files.readString(output));
    }
  }

  /// Not compressed: it is read more often than written. Without what is made here: a class path by
  /// hand may have a folder around it.
  private static void pack(Path folder, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> files = Files.walk(folder)) {
      out.setLevel(0);
      Path made = jar.getParent();
      for (Path each :
          files.filter(it -> Files.isRegularFile(it) && !it.startsWith(made)).sorted().toList()) {
        out.putNextEntry(new JarEntry(folder.relativize(each).toString()));
        Files.copy(each, out);
      }
    }
  }

  /// What changes when a class does.
  private static String stamp(List<Path> entries) throws IOException {
    StringBuilder stamp = new StringBuilder(System.getProperty("java.home")).append('\n');
    for (Path entry : entries) {
      long newest = 0;
      long bytes = 0;
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path each : files.filter(Files::isRegularFile).toList()) {
          newest = Math.max(newest, Files.getLastModifiedTime(each).toMillis());
          bytes += Files.size(each);
        }
      }
      stamp.append("%s %d %d%n".formatted(entry, newest, bytes));
    }
    return stamp.toString();
  }

  private static String hash(String text) {
    return Integer.toHexString(text.hashCode());
  }

  private static String joined(List<Path> paths) {
    return String.join(File.pathSeparator, paths.stream().map(Path::toString).toList());
  }

  private static List<Path> classPath() {
    Set<String> entries = new LinkedHashSet<>();
    for (String property :
        List.of("surefire.test.class.path", "java.class.path", "jdk.module.path")) {
      entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator)));
    }
    entries.add(testClasses().toString());
    entries.add(System.getProperty(NodeJvm.VOTERS_JAR, ""));
    return entries.stream()
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }

  /// The tests are patched into the module, so they are on no path.
  private static Path testClasses() {
    String name = NodeProgram.class.getName();
    var file = NodeProgram.class.getResource("NodeProgram.class");
    Path folder = Path.of(java.net.URI.create(String.valueOf(file)));
    for (int i = 0; i < name.split("\\.").length; i++) {
      folder = folder.getParent();
    }
    return folder;
  }
}
