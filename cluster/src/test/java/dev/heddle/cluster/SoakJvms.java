// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The nodes of [ClusterSoak], each in a JVM of its own.
///
/// All end with the run: by their process, also when the run is interrupted. One that outlives its
/// parent ends because its input does.
final class SoakJvms implements AutoCloseable {
  private static final int MOST_LOGGED = 40; // last lines of the log of each node that is shown
  private static final long GUARD_SECONDS = 120; // for something that must happen

  private final List<String> names = new ArrayList<>();
  private final Path folder;
  private final boolean hasNames;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Map<String, NodeJvm> nodes = new TreeMap<>();
  private final List<NodeJvm> everStarted = new ArrayList<>();
  private final Thread hook = new Thread(this::killAll);

  /// @param folder for what they write
  SoakJvms(int count, Path folder, boolean hasNames) throws IOException {
    this.folder = folder;
    this.hasNames = hasNames;
    Runtime.getRuntime().addShutdownHook(hook);
    for (int i = 0; i < count; i++) {
      names.add("n" + i);
      ports.put("n" + i, TestPorts.next());
    }
  }

  /// All names, in order.
  List<String> names() {
    return names;
  }

  void startAll() throws Exception {
    for (String name : names) {
      begin(name);
    }
    for (String name : names) {
      waitFor(name, "READY");
    }
  }

  void start(String name) throws Exception {
    begin(name);
    waitFor(name, "READY");
  }

  private void begin(String name) throws IOException {
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                name,
                ports.get(name),
                folder,
                hasNames ? SoakNode.WITH_NAMES : SoakNode.WITHOUT_NAMES));
    ports.forEach((each, port) -> arguments.add(each + ":" + port));
    NodeJvm jvm = NodeJvm.start(SoakNode.class, List.of("-XX:+UseSerialGC"), arguments.toArray());
    synchronized (everStarted) {
      everStarted.add(jvm);
    }
    nodes.put(name, jvm);
  }

  /// The one that runs now, or has ended last.
  NodeJvm jvm(String name) {
    return nodes.get(name);
  }

  // ---- commands ----

  void all(String command) throws Exception {
    for (String name : names) {
      ask(name, command);
    }
  }

  String ask(String name, String command) throws Exception {
    String begin = "ANSWER " + command.split(" ")[0];
    nodes.get(name).say(command);
    return waitFor(name, begin).substring(begin.length()).strip();
  }

  private String waitFor(String name, String begin) throws Exception {
    return nodes.get(name).waitFor(begin).text();
  }

  /// What [#await] waits for.
  interface Question {
    /// Null when it is so, else what is not.
    String isMissing() throws Exception;
  }

  /// Asks until it is so.
  ///
  /// @return null, or what was missing to the end
  static String await(Question question) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    String missing = question.isMissing();
    while (missing != null && System.nanoTime() < until) {
      LockSupport.parkNanos(20_000_000);
      missing = question.isMissing();
    }
    return missing;
  }

  /// Stops a node for a time: see [NodeJvm#stop].
  java.lang.Process stop(String name, long millis) throws IOException {
    return nodes.get(name).stop(millis);
  }

  // ---- what they have said ----

  /// What they have found by themselves.
  List<String> violations() {
    List<String> all = new ArrayList<>();
    for (NodeJvm each : everStarted) {
      each.all().stream().filter(it -> it.contains(" VIOLATION ")).forEach(all::add);
    }
    return all;
  }

  /// The ends of their logs.
  String logged() {
    StringBuilder all = new StringBuilder();
    everStarted.forEach(it -> all.append(it.logged(MOST_LOGGED)));
    return all.toString();
  }

  private void killAll() {
    synchronized (everStarted) {
      everStarted.forEach(NodeJvm::close);
    }
  }

  @Override
  public void close() {
    killAll();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
