// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;

/// Has its JVM load what nodes load: two in touch, of which one votes, where there is a log.
final class NodeTraining {
  private NodeTraining() {}

  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("heddle-training");
    int a = TestPorts.next();
    int b = TestPorts.next();
    ClusterOptions first = options("a", a, b);
    ClusterOptions second = options("b", b, a);
    if (ClusterSoakTest.hasNames()) {
      first = first.voters("a").directory(directory);
      second = second.voters("a");
    }
    try (Cluster one = Cluster.join(first);
        Cluster two = Cluster.join(second)) {
      CountDownLatch up = new CountDownLatch(1);
      var _ = one.onChange(_ -> up.countDown());
      up.await();
      Pid there = one.spawn("answers", StartOptions.defaults(), Place.on("b"));
      Object _ = one.runtime().ask(there, new NodeProgram.Question(7), Duration.ofMinutes(2));
      if (ClusterSoakTest.hasNames()) {
        register(two);
      }
    } finally {
      delete(directory);
    }
    Runtime.getRuntime().exit(0);
  }

  private static ClusterOptions options(String name, int port, int seed) {
    return ClusterOptions.named(name)
        .bind("127.0.0.1", port)
        .seeds("127.0.0.1:" + seed)
        .messages(NodeProgram.Question.class, NodeProgram.Reply.class)
        .entry("answers", NodeProgram.Answers::new);
  }

  /// Whoever waits for this program says, when it hangs, why the last try was refused.
  private static void register(Cluster cluster) throws InterruptedException {
    Pid pid = cluster.runtime().spawn(new NodeProgram.Answers());
    String said = "";
    while (true) {
      try {
        long _ = cluster.names().register("mayor", pid);
        return;
      } catch (NoQuorumException | NameTakenException e) {
        if (!e.toString().equals(said)) {
          said = e.toString();
          System.out.println(said);
        }
        Thread.yield(); // the state is not here yet: the next try waits for it
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
