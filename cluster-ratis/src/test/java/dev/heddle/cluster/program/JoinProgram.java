// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.program;

import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.Place;
import dev.heddle.process.StartOptions;
import java.nio.file.Path;

/// A node in a JVM of its own that joins twice: without voters, then as the only voter. It says
/// when it has used each. Arguments: a port of loopback, a directory.
public final class JoinProgram {
  public static final String WITHOUT_VOTERS = "used without voters";
  public static final String WITH_VOTERS = "used with voters";

  private JoinProgram() {}

  public static void main(String[] arguments) throws Exception {
    String address = "127.0.0.1:" + arguments[0];
    ClusterOptions options =
        ClusterOptions.named("a")
            .bind("127.0.0.1", Integer.parseInt(arguments[0]))
            .seeds(address)
            .entry("worker", () -> (_, out) -> out.done());
    try (Cluster cluster = Cluster.join(options)) {
      use(cluster);
      try {
        cluster.names();
        throw new AssertionError("it has names");
      } catch (IllegalStateException _) {
        System.out.println(WITHOUT_VOTERS);
      }
    }
    try (Cluster cluster = Cluster.join(options.voters("a").directory(Path.of(arguments[1])))) {
      use(cluster);
      System.out.println(WITH_VOTERS);
    }
  }

  private static void use(Cluster cluster) throws InterruptedException {
    var pid = cluster.spawn("worker", StartOptions.defaults(), Place.anywhere());
    cluster.group("all").join(pid);
    if (cluster.nodes().isEmpty()) {
      throw new AssertionError("no node, not even this one");
    }
  }
}
