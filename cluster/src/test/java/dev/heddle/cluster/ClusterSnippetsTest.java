// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.AskFailedException;
import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.JMX;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The examples of the Javadoc and of the pages about clusters.
@ExtendWith(OwnLoopback.class)
class ClusterSnippetsTest {
  // @start region=messages
  record Count(String text) {}

  /// Answers how many letters a text has.
  static final class Counter extends CoroutineProcess {
    @Override
    protected @Nullable Object run(@Nullable Object input) {
      while (true) {
        if (receive() instanceof Request(Count(String text), var reply)) {
          reply.complete(text.length());
        }
      }
    }
  }

  // @end

  @Test
  void join() throws Exception {
    // @start region=join
    ClusterOptions options =
        ClusterOptions.named("a") // unique in its cluster
            .cluster("letters")
            .messages(Count.class) // what may arrive
            .entry("counter", Counter::new); // what others may start here
    try (Cluster a = Cluster.join(options);
        Cluster b = Cluster.join(ClusterOptions.named("b").cluster("letters"))) {
      Pid counter = a.spawn("counter", StartOptions.defaults(), Place.on("a"));
      int letters = a.runtime().ask(counter, new Count("heddle"), Duration.ofSeconds(30));
      // @end
      assertThat(letters).isEqualTo(6);
      assertThat(b.name()).isEqualTo("b");
    }
  }

  @Test
  void options() throws Exception {
    // @start region=options
    ClusterOptions options =
        ClusterOptions.named("a")
            .cluster("shop")
            .bind("127.0.0.1", 7600) // what the others connect to
            .seeds("127.0.0.1:7600", "127.0.0.1:7601") // or the name of a service
            .labels(Map.of("zone", "eu-1"))
            .messages(Count.class)
            .entry("counter", Counter::new);
    // @end
    assertThat(options.toString()).contains("shop", "7601", "eu-1", "counter");
    // @start region=entryOptions
    StartOptions sendersWait = StartOptions.defaults().withMailbox(1_000, MailboxPolicy.SUSPEND);
    ClusterOptions patient = options.entry("patient", sendersWait, Counter::new);
    // @end
    assertThat(patient.toString()).contains("patient");
  }

  @Test
  void spawn() throws Exception {
    ClusterOptions options = ClusterOptions.named("a").cluster("spawning").messages(Count.class);
    try (Cluster a = Cluster.join(options);
        Cluster b =
            Cluster.join(
                ClusterOptions.named("b")
                    .cluster("spawning")
                    .messages(Count.class)
                    .labels(Map.of("zone", "eu-1"))
                    .entry("counter", Counter::new))) {
      up(a, "b");
      // @start region=spawn
      Pid one = a.spawn("counter", StartOptions.defaults(), Place.on("b"));
      Pid another = a.spawn("counter", StartOptions.defaults(), Place.label("zone", "eu-1"));
      // @end
      assertThat(one.node()).isEqualTo("b");
      assertThat(another.node()).isEqualTo("b");
      // @start region=leastLoaded
      Pid third =
          a.spawn("counter", StartOptions.defaults(), Place.label("zone", "eu-1").leastLoaded());
      // @end
      assertThat(third.node()).isEqualTo("b");
      // @start region=child
      Supervisor supervisor =
          Supervisor.builder()
              .child(
                  ChildSpec.of(
                      "counter", a.child("counter", StartOptions.defaults(), Place.anywhere())))
              .build();
      // @end
      assertThat(a.runtime().spawn(supervisor)).isNotNull();
      assertThat(b.runtime()).isNotNull();
    }
  }

  @Test
  void spawnInAStep() throws Exception {
    ClusterOptions options = ClusterOptions.named("a").cluster("stepping");
    var started = new LinkedBlockingQueue<Object>();
    try (Cluster cluster = Cluster.join(options);
        Cluster b =
            Cluster.join(
                ClusterOptions.named("b").cluster("stepping").entry("counter", Counter::new))) {
      up(cluster, "b");
      // @start region=spawnInAStep
      Process starter =
          (events, out) -> {
            for (ProcessEvent event : events) {
              if (event.isMessage()) {
                out.execute(
                    1,
                    Commands.call(
                        () -> cluster.spawn("counter", StartOptions.defaults(), Place.on("b"))));
              } else if (event.tag() == 1) {
                started.add(event.data()); // the PID
              }
            }
          };
      // @end
      cluster.runtime().send(cluster.runtime().spawn(starter), "start");
      assertThat(started.take())
          .isInstanceOfSatisfying(Pid.class, it -> assertThat(it.node()).isEqualTo("b"));
      assertThat(b.runtime()).isNotNull();
    }
  }

  @Test
  void group() throws Exception {
    try (Cluster a = Cluster.join(ClusterOptions.named("a").cluster("grouping"))) {
      ProcessRuntime runtime = a.runtime();
      var heard = new LinkedBlockingQueue<Object>();
      Pid member = runtime.spawn(CoroutineProcess.of(self -> heard.add(self.receive())));
      // @start region=group
      Group room = a.group("chat/42");
      room.join(member); // leaves when it ends
      int reached = room.publish("hello");
      // @end
      assertThat(reached).isEqualTo(1);
      assertThat(heard.take()).isEqualTo("hello");
    }
  }

  @Test
  void bean() throws Exception {
    ManagementFactory.getPlatformMBeanServer(); // a tool is there
    try (Cluster cluster = Cluster.join(ClusterOptions.named("a").cluster("managed"))) {
      // @start region=bean
      ClusterMXBean bean =
          JMX.newMXBeanProxy(
              ManagementFactory.getPlatformMBeanServer(),
              new ObjectName("dev.heddle:type=Cluster,name=a"),
              ClusterMXBean.class);
      for (ClusterMXBean.Node node : bean.getNodes()) {
        System.out.println(node.name() + " " + node.state() + " " + node.reason());
      }
      bean.getBrokenPairs().forEach(System.out::println);
      // @end
      assertThat(bean.getName()).isEqualTo(cluster.name());
    }
  }

  @Test
  void nodes() throws Exception {
    var lines = new LinkedBlockingQueue<String>();
    ClusterOptions options = ClusterOptions.named("a").cluster("looking");
    try (Cluster cluster = Cluster.join(options);
        Cluster b = Cluster.join(ClusterOptions.named("b").cluster("looking"))) {
      // @start region=nodes
      cluster.onChange(change ->
          lines.add(
              switch (change) {
                case ClusterChange.Up up -> up.node() + " is in touch";
                case ClusterChange.Left left -> left.node() + " has left";
                case ClusterChange.Lost lost -> lost.node() + " is lost: " + lost.reason();
              }));
      for (NodeInfo node : cluster.nodes()) {
        lines.add(node.name() + " " + node.state());
      }
      // @end
      assertThat(b.name()).isEqualTo("b");
      while (!lines.take().equals("b is in touch")) {
        assertThat(lines).hasSizeLessThan(100);
      }
    }
  }

  @Test
  void failure() throws Exception {
    ClusterOptions options = ClusterOptions.named("a").cluster("failing").messages(Count.class);
    try (Cluster a = Cluster.join(options);
        Cluster b =
            Cluster.join(
                ClusterOptions.named("b")
                    .cluster("failing")
                    .messages(Count.class)
                    .entry("failing", Failing::new))) {
      up(a, "b");
      assertThat(b.name()).isEqualTo("b");
      Pid pid = a.spawn("failing", StartOptions.defaults(), Place.on("b"));
      String what = "";
      // @start region=failure
      try {
        a.runtime().ask(pid, new Count("heddle"), Duration.ofSeconds(30));
      } catch (AskFailedException e) {
        if (e.getCause() instanceof RemoteFailure failure) {
          what = failure.type() + " at node " + failure.node();
        }
      }
      // @end
      assertThat(what).isEqualTo("java.lang.ArithmeticException at node b");
    }
  }

  private static final class Failing extends CoroutineProcess {
    @Override
    protected @Nullable Object run(@Nullable Object input) {
      if (receive() instanceof Request request) {
        request.reply().fail(new ArithmeticException("by zero"));
      }
      return null;
    }
  }

  private static void up(Cluster at, String other) throws Exception {
    CompletableFuture<Void> up = new CompletableFuture<>();
    at.onChange(change -> {
      if (change.node().equals(other) && change instanceof ClusterChange.Up) {
        up.complete(null);
      }
    });
    if (at.nodes().stream()
        .anyMatch(node -> other.equals(node.name()) && node.state() == NodeInfo.State.UP)) {
      up.complete(null);
    }
    up.get(2, TimeUnit.MINUTES);
  }
}
