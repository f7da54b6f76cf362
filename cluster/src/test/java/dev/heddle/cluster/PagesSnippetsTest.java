// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Certificates;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What the how-to pages about clusters show, with the addresses of this machine in place of those
/// of three machines.
@ExtendWith(OwnLoopback.class)
class PagesSnippetsTest {
  record Work(int number) {}

  record Done(int number) {}

  record CartCommand(String item) {}

  record CartView(List<String> items) {}

  /// Answers each request.
  static final class Worker extends CoroutineProcess {
    @Override
    protected @Nullable Object run(@Nullable Object input) {
      while (true) {
        if (receive() instanceof Request(Work(int number), var reply)) {
          reply.complete(new Done(number));
        }
      }
    }
  }

  @TempDir Path dir;

  @Test
  void threeNodes_onOneMachine() throws Exception {
    // @start region=alone
    try (Cluster cluster = Cluster.join("a")) { // "b" and "c" in two other programs
      cluster.onChange(System.out::println);
      // @end
      assertThat(cluster.name()).isEqualTo("a");
    }
  }

  /// The options of the page are made; the node joins at an address that is here.
  @Test
  void threeNodes_onThreeMachines() throws Exception {
    Certificates made = Certificates.in(dir);
    Path keys = made.keys("a");
    String password = String.valueOf(Certificates.PASSWORD);
    assertThat(threeMachines(password).toString()).contains("10.0.0.11", "worker");
    ClusterOptions here =
        ClusterOptions.named("a")
            .cluster("pages")
            .certificates(keys, made.trusted(), password)
            .messages(Work.class, Done.class)
            .entry("worker", Worker::new);
    try (Cluster cluster = Cluster.join(here)) {
      assertThat(askAt("a", cluster)).isEqualTo(new Done(1));
    }
  }

  private static ClusterOptions threeMachines(String password) {
    // @start region=threeMachines
    ClusterOptions options =
        ClusterOptions.named("a")
            .cluster("shop")
            .bind("10.0.0.11", 7600)
            .seeds("10.0.0.11:7600", "10.0.0.12:7600")
            .certificates(Path.of("a.p12"), Path.of("trust.p12"), password)
            .messages(Work.class, Done.class) // what travels: records
            .entry("worker", Worker::new); // what others may start here
    // @end
    return options;
  }

  private static Done askAt(String node, Cluster cluster) throws Exception {
    // @start region=ask
    Pid worker = cluster.spawn("worker", StartOptions.defaults(), Place.on(node));
    Done done = cluster.runtime().ask(worker, new Work(1), Duration.ofSeconds(30));
    // @end
    return done;
  }

  @Test
  void members_areSeenByAll() throws Exception {
    try (Cluster cluster = Cluster.join(ClusterOptions.named("a").cluster("members"))) {
      Process resting = (_, _) -> {};
      Pid pid = cluster.runtime().spawn(resting);
      // @start region=group
      cluster.group("workers").join(pid); // at the node of the process
      List<Pid> all = cluster.group("workers").members(); // at any node
      // @end
      assertThat(all).containsExactly(pid);
    }
  }

  @Test
  void optionsOfAPod() throws IOException {
    Path home = Files.createDirectories(dir.resolve("shop"));
    Files.writeString(home.resolve("password"), "secret");
    // @start region=dns
    ClusterOptions found =
        ClusterOptions.named("shop-0")
            .bind("10.1.0.7", 7600)
            .dns("shop.default.svc.cluster.local", 7600);
    // @end
    assertThat(found.toString()).contains("shop.default.svc.cluster.local");
    assertThat(pod("shop-0", "10.1.0.7", home).toString()).contains("shop-0", "10.1.0.7");
    ClusterOptions voter = voter(pod("shop-0", "10.1.0.7", home));
    assertThat(voter.toString()).contains("shop-2", "/var/lib/shop");
  }

  private static ClusterOptions pod(String name, String address, Path home) throws IOException {
    // @start region=pod
    String password = Files.readString(home.resolve("password"));
    ClusterOptions options =
        ClusterOptions.named(name)
            .cluster("shop")
            .bind(address, 7600)
            .dns("shop.default.svc.cluster.local", 7600)
            .certificates(home.resolve("node.p12"), home.resolve("trust.p12"), password);
    // @end
    return options;
  }

  private static ClusterOptions voter(ClusterOptions options) {
    // @start region=voter
    ClusterOptions withNames =
        options.voters("shop-0", "shop-1", "shop-2").directory(Path.of("/var/lib/shop"));
    // @end
    return withNames;
  }

  @Test
  void nodeLeaves_whenItsProgramIsEnded() throws Exception {
    ClusterOptions options = ClusterOptions.named("a").cluster("leaving");
    try (Cluster cluster = Cluster.join(options)) {
      Thread leave = leaveAtTheEnd(cluster);
      Runtime.getRuntime().removeShutdownHook(leave);
      leave.start();
      leave.join();
      try (Cluster again = Cluster.join(cluster.runtime(), options)) { // which has left only once
        assertThat(again.name()).isEqualTo("a");
      }
    }
  }

  private static Thread leaveAtTheEnd(Cluster cluster) {
    // @start region=leave
    Thread leave =
        new Thread(() -> {
          try {
            cluster.leave(Duration.ofSeconds(10));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Runtime.getRuntime().addShutdownHook(leave);
    // @end
    return leave;
  }

  @Test
  void keysOfANode() throws IOException {
    Path certs = Files.createDirectories(dir.resolve("certs"));
    Files.writeString(certs.resolve("password"), "secret");
    // @start region=keys
    String password = Files.readString(certs.resolve("password"));
    ClusterOptions options =
        ClusterOptions.named("a")
            .bind("10.0.0.11", 7600)
            .seeds("10.0.0.11:7600", "10.0.0.12:7600")
            .certificates(certs.resolve("a.p12"), certs.resolve("trust.p12"), password);
    // @end
    assertThat(options.toString()).contains("10.0.0.11");
  }

  @Test
  void schemaOfTheLastRelease() throws IOException {
    Path last = dir.resolve("messages.txt");
    Files.writeString(last, MessageSchema.of(CartCommand.class, CartView.class).text());
    // @start region=schema
    List<String> broken =
        MessageSchema.of(CartCommand.class, CartView.class)
            .breaks(Files.readString(last)); // the text() of the last release
    assertThat(broken).isEmpty();
    // @end
  }
}
