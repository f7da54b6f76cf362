// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.test.Exploration;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationError;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.SimulationResult;
import dev.heddle.test.Strategy;
import dev.heddle.test.net.Faults;
import dev.heddle.test.net.Latency;
import dev.heddle.test.net.Link;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.net.LinkOptions;
import dev.heddle.test.net.NetworkEvent;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.SimulatedNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several loops in one simulation.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeTest {
  private static final int PORT = 7;

  static SimulationOptions seed(long seed) {
    return SimulationOptions.defaults().withSeed(seed);
  }

  /// Answers each line with itself, to all clients, for ever.
  static void echo() throws Exception {
    Listener listener = Tcp.listen(new InetSocketAddress(PORT));
    while (true) {
      StreamSocket client = listener.accept();
      Heddle.launch(
          "echo",
          () -> {
            try (client) {
              for (String line = client.readLine(); line != null; line = client.readLine()) {
                client.write(StandardCharsets.UTF_8.encode(line + "\n"));
              }
            } catch (IOException _) {
              // safe: this client is gone, and the others are served
            }
          });
    }
  }

  static String ask(Node server, String question) throws IOException {
    InetSocketAddress address = new InetSocketAddress(server.host().address(), PORT);
    try (StreamSocket socket = Tcp.connect(address)) {
      socket.write(StandardCharsets.UTF_8.encode(question + "\n"));
      String answer = socket.readLine();
      return answer == null ? "nothing" : answer;
    }
  }

  private static SimulationError failureOf(Action main) {
    return catchThrowableOfType(SimulationError.class, () -> Simulation.run(seed(1), main));
  }

  // ---- one time, one course ----

  @Test
  @Tag("sim-30")
  void clientAndServer_talkThroughTheNetwork_inVirtualTime() {
    SimulationResult<?> result =
        Simulation.run(
            seed(1),
            () -> {
              Latency hour = Latency.of(Duration.ofHours(1));
              Simulation.network().setLinkOptions(LinkOptions.defaults().withLatency(hour));
              try (Node server = Node.start("server", NodeTest::echo);
                  Node client =
                      Node.start(
                          "client", () -> assertThat(ask(server, "hello")).isEqualTo("hello"))) {
                client.await();
              }
            });
    // the request for the connection and its answer, the question and its answer
    assertThat(result.elapsed()).isBetween(Duration.ofHours(4), Duration.ofHours(5));
  }

  /// A run with several clients, faults, crashes, and all that has happened in the network.
  private static List<String> course(long seed) {
    List<String> course = new ArrayList<>();
    SimulationResult<?> result =
        Simulation.run(
            seed(seed),
            () -> {
              SimulatedNetwork network = Simulation.network();
              network.observe(event -> course.add(event.toString()));
              network.setFaults(Faults.usual().withReset(0.01));
              List<Node> clients = new ArrayList<>();
              try (Node server = Node.start("server", NodeTest::echo)) {
                for (int i = 0; i < 3; i++) {
                  String name = "client" + i;
                  clients.add(Node.start(name, () -> askOften(name, server, course)));
                }
                Heddle.delay(Duration.ofMillis(5));
                server.crash();
                server.restart();
                clients.forEach(Node::await);
              }
            });
    course.add(result.fingerprint() + " at " + result.elapsed() + " in " + result.steps());
    return course;
  }

  private static void askOften(String name, Node server, List<String> course) {
    for (int k = 0; k < 10; k++) {
      try {
        String question = "question " + k;
        // a server that has crashed tells nobody
        Body<String> asking = () -> ask(server, question);
        course.add(name + ": " + Heddle.withTimeout(Duration.ofSeconds(5), asking));
      } catch (Exception e) {
        course.add(name + ": " + e);
      }
    }
  }

  @Test
  @Tag("sim-31")
  void sameSeed_takesTheSameCourse_andOthersDiffer() {
    List<String> first = course(7);
    for (int i = 0; i < 10; i++) {
      assertThat(course(7)).isEqualTo(first);
    }
    assertThat(course(8)).isNotEqualTo(first);
  }

  @Test
  @Tag("sim-31")
  void nodesThatAreReadyTogether_runInEachOrder() {
    Set<String> orders = new TreeSet<>();
    Exploration all =
        Simulation.explore(
            seed(0).withStrategy(Strategy.exhaustive(10_000)),
            () -> {
              StringBuilder order = new StringBuilder();
              try (Node a = Node.start("a", () -> order.append("a"));
                  Node b = Node.start("b", () -> order.append("b"));
                  Node c = Node.start("c", () -> order.append("c"))) {
                a.await();
                b.await();
                c.await();
              }
              orders.add(order.toString());
            });
    assertThat(orders).containsExactly("abc", "acb", "bac", "bca", "cab", "cba");
    assertThat(all.complete()).isTrue();
  }

  @Test
  @Tag("sim-31")
  void orderOfNodesThatFails_isFoundShrunkAndReplayed() {
    Action race =
        () -> {
          List<String> order = new ArrayList<>();
          try (Node a = Node.start("a", () -> order.add("a"));
              Node b = Node.start("b", () -> order.add("b"))) {
            a.await();
            b.await();
          }
          assertThat(order).containsExactly("a", "b");
        };
    SimulationError found =
        catchThrowableOfType(SimulationError.class, () -> Simulation.explore(seed(0), race));
    assertThat(found).isNotNull();
    assertThat(found).hasMessageContaining("replay with ./heddle test --seed ");
    SimulationOptions again = seed(found.result().seed()).withSchedule(found.result().schedule());
    assertThatThrownBy(() -> Simulation.run(again, race)).hasRootCauseMessage(message(found));
  }

  private static String message(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  // ---- guards ----

  @Test
  @Tag("sim-30")
  void nodesThatWaitForEachOther_areADeadlock_withWhatEachWaitsFor() {
    SimulationError failed =
        failureOf(() -> {
          try (Node server = Node.start("server", NodeTest::echo);
              Node client =
                  Node.start(
                      "client",
                      () -> {
                        var address = new InetSocketAddress(server.host().address(), PORT);
                        try (StreamSocket socket = Tcp.connect(address)) {
                          socket.readLine();
                        }
                      })) {
            client.await();
          }
        });
    assertThat(failed).hasCauseInstanceOf(DeadlockError.class);
    assertThat(failed.getCause()).hasMessageContaining("the end of the node client");
    assertThat(failed.getCause().getSuppressed())
        .anySatisfy(more ->
            assertThat(more)
                .hasMessageContaining("node server:")
                .hasMessageContaining("node client:")
                .hasMessageContaining("input from the connection to"));
  }

  @Test
  @Tag("sim-30")
  void failureOfANode_failsTheRun_andNamesIt() {
    IllegalStateException failure = new IllegalStateException("on purpose");
    SimulationError failed =
        failureOf(() -> {
          Action program =
              () -> {
                throw failure;
              };
          try (Node _ = Node.start("one", program)) {
            Heddle.delay(Duration.ofDays(1_000));
          }
        });
    assertThat(failed.getCause())
        .hasMessageContaining("the program of the node one has failed")
        .hasCause(failure);
    assertThat(failed.result().elapsed()).isLessThan(Duration.ofDays(1));
  }

  @Test
  @Tag("sim-30")
  void nodeThatIsLeft_isNamed() {
    SimulationError failed =
        failureOf(() -> {
          Node.start("server", NodeTest::echo);
          Heddle.delay(Duration.ofSeconds(1));
        });
    assertThat(failed).hasMessageContaining("the node server runs; close() ends it");
  }

  @Test
  @Tag("sim-30")
  void timedWaitOfANodeInTheJdk_isRefusedWithItsStack() {
    SimulationError failed =
        failureOf(() -> {
          Action program =
              () -> {
                boolean _ = new CountDownLatch(1).await(1, TimeUnit.DAYS);
              };
          try (Node waits = Node.start("waits", program)) {
            waits.await();
          }
        });
    assertThat(failed.getCause())
        .hasMessageContaining("the node waits")
        .hasMessageContaining("amount of real time")
        .hasMessageContaining("NodeTest");
  }

  @Test
  @Tag("sim-30")
  void waitOfANodeInTheJdk_thatNobodyEnds_isADeadlock() {
    SimulationOptions impatient = seed(1).withPatience(Duration.ofSeconds(2));
    SimulationError failed =
        catchThrowableOfType(
            SimulationError.class,
            () ->
                Simulation.run(
                    impatient,
                    () -> {
                      try (Node waits = Node.start("waits", () -> new CountDownLatch(1).await())) {
                        waits.await();
                      }
                    }));
    assertThat(failed).hasCauseInstanceOf(DeadlockError.class);
    assertThat(failed.getCause().getSuppressed())
        .anySatisfy(more -> assertThat(more).hasMessageContaining("CountDownLatch"));
  }

  @Test
  @Tag("sim-30")
  void nodeWithoutAnEnd_failsTheRun() {
    SimulationError failed =
        catchThrowableOfType(
            SimulationError.class,
            () ->
                Simulation.run(
                    seed(1).withStepLimit(1_000),
                    () -> {
                      Action busy =
                          () -> {
                            while (true) {
                              Heddle.yieldNow();
                            }
                          };
                      try (Node spins = Node.start("spins", busy)) {
                        Heddle.launch("other", () -> Heddle.delay(Duration.ofDays(1)));
                        spins.await();
                      }
                    }));
    assertThat(failed).hasMessageContaining("has not ended after 1,000 steps");
    assertThat(failed.getCause()).hasMessageContaining("node spins:");
  }

  // ---- partitions ----

  @Test
  void partition_thatDelays_holdsTheAnswerUntilItHeals() {
    SimulationResult<?> result =
        Simulation.run(
            seed(3),
            () -> {
              try (Node server = Node.start("server", NodeTest::echo);
                  Node client =
                      Node.start(
                          "client", () -> assertThat(ask(server, "hello")).isEqualTo("hello"))) {
                var healing =
                    Simulation.network()
                        .partition(Set.of(server.host()), Set.of(client.host()), Partition.DELAY);
                Heddle.delay(Duration.ofDays(1));
                healing.close();
                client.await();
              }
            });
    assertThat(result.elapsed()).isGreaterThan(Duration.ofDays(1));
  }

  @Test
  void partition_thatDrops_breaksTheConnectionAfterAllItsAttempts() {
    SimulationResult<?> result =
        Simulation.run(
            seed(3),
            () -> {
              SimulatedNetwork network = Simulation.network();
              try (Node server = Node.start("server", NodeTest::echo)) {
                InetSocketAddress address = new InetSocketAddress(server.host().address(), PORT);
                StreamSocket socket = Tcp.connect(address);
                network.partition(
                    Set.of(server.host()), Set.of(network.host("main")), Partition.DROP);
                socket.write(ByteBuffer.allocate(1));
                assertThatThrownBy(socket::readLine)
                    .isInstanceOf(IOException.class)
                    .hasMessage("Connection timed out");
                assertThatThrownBy(() -> ask(server, "again"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Connection timed out");
                socket.close();
              }
            });
    assertThat(result.elapsed()).isGreaterThan(Duration.ofMinutes(10));
  }

  @Test
  void observers_seeWhatHappensInOrder() {
    List<NetworkEvent.Kind> kinds = new ArrayList<>();
    Simulation.run(() -> {
      Simulation.network().observe(event -> kinds.add(event.kind()));
      try (Node server = Node.start("server", NodeTest::echo)) {
        assertThat(ask(server, "x")).isEqualTo("x");
        server.crash();
      }
    });
    assertThat(kinds)
        .containsExactly(
            NetworkEvent.Kind.CONNECT,
            NetworkEvent.Kind.CONNECTED,
            NetworkEvent.Kind.DATA,
            NetworkEvent.Kind.DATA); // the server crashes before the end of the stream arrives
  }

  @Test
  void linkThatIsCutInOneDirection_letsTheOtherThrough() {
    Simulation.run(() -> {
      SimulatedNetwork network = Simulation.network();
      try (Node server = Node.start("server", NodeTest::echo)) {
        InetSocketAddress address = new InetSocketAddress(server.host().address(), PORT);
        StreamSocket socket = Tcp.connect(address);
        var cut = network.link(server.host(), network.host("main")).cut(Partition.DELAY);
        socket.write(StandardCharsets.UTF_8.encode("one\n"));
        Body<String> answer = socket::readLine;
        assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofDays(1), answer))
            .isInstanceOf(DeadlineException.class);
        cut.close();
        assertThat(socket.readLine()).isEqualTo("one"); // the server has got the question
        socket.close();
      }
    });
  }

  @Test
  void linkThatTwoPartitionsCut_isHealedWithTheLast() {
    Simulation.run(() -> {
      SimulatedNetwork network = Simulation.network();
      Link link = network.link(network.host("a"), network.host("b"));
      Set<SimulatedHost> a = Set.of(network.host("a"));
      var one = network.partition(a, Set.of(network.host("b")), Partition.DROP);
      var other = network.partition(a, network.hosts(), Partition.DELAY);
      one.close();
      one.close();
      assertThat(link.isCut()).isTrue();
      other.close();
      assertThat(link.isCut()).isFalse();
    });
  }

  // ---- pauses ----

  @Test
  @Tag("sim-32")
  void pausedNode_takesNoStep_andGoesOnWithWhatHasHappened() {
    Simulation.run(() -> {
      List<Duration> ticks = new ArrayList<>();
      Action program =
          () -> {
            Heddle.launch("echo", NodeTest::echo);
            while (true) {
              Heddle.delay(Duration.ofMinutes(1));
              ticks.add(Simulation.elapsed());
            }
          };
      try (Node server = Node.start("server", program)) {
        InetSocketAddress address = new InetSocketAddress(server.host().address(), PORT);
        StreamSocket socket = Tcp.connect(address);
        server.pause();
        socket.write(StandardCharsets.UTF_8.encode("one\n"));
        Heddle.delay(Duration.ofHours(1));
        assertThat(ticks).isEmpty();
        server.resume();
        assertThat(socket.readLine()).isEqualTo("one");
        assertThat(ticks).hasSize(1);
        assertThat(ticks.getFirst()).isBetween(Duration.ofHours(1), Duration.ofMinutes(61));
        socket.close();
        server.pause(); // close() resumes it
      }
    });
  }

  // ---- clocks ----

  @Test
  @Tag("sim-33")
  void clockThatIsTooFast_endsTheNodesWaitsEarly_andNoOthers() {
    List<Duration> ends = new ArrayList<>();
    Simulation.run(() -> {
      Action program =
          () -> {
            Heddle.delay(Duration.ofHours(1));
            ends.add(Simulation.elapsed());
          };
      NodeOptions fast = NodeOptions.defaults().withClockDrift(1_000_000);
      NodeOptions slow = NodeOptions.defaults().withClockDrift(-500_000);
      NodeOptions ahead = NodeOptions.defaults().withClockOffset(Duration.ofDays(1));
      try (Node a = Node.start("fast", fast, program);
          Node b = Node.start("true", program);
          Node c = Node.start("ahead", ahead, program);
          Node d = Node.start("slow", slow, program)) {
        List.of(a, b, c, d).forEach(Node::await);
      }
    });
    assertThat(ends)
        .containsExactly(
            Duration.ofMinutes(30), Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(2));
  }
}
