// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.test.net.Faults;
import dev.heddle.test.net.Latency;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.net.LinkOptions;
import dev.heddle.test.net.NetworkEvent;
import dev.heddle.test.net.SimulatedHost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several loops in one simulation.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeGroupTest {
  private static final int PORT = 7;

  /// Answers each line with itself, to all clients, for ever.
  private static void echo() throws Exception {
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

  private static String ask(SimulatedHost server, String question) throws IOException {
    try (StreamSocket socket = Tcp.connect(new InetSocketAddress(server.address(), PORT))) {
      socket.write(StandardCharsets.UTF_8.encode(question + "\n"));
      String answer = socket.readLine();
      return answer == null ? "nothing" : answer;
    }
  }

  @Test
  void clientAndServer_talkThroughTheNetwork_inVirtualTime() {
    NodeGroup group = new NodeGroup(1);
    group
        .network()
        .setLinkOptions(LinkOptions.local().withLatency(Latency.of(Duration.ofHours(1))));
    SimulatedHost server = group.network().host("server");
    List<String> answers = new ArrayList<>();
    group.service(server, NodeGroupTest::echo);
    group.node(group.network().host("client"), () -> answers.add(ask(server, "hello")));
    group.run();
    assertThat(answers).containsExactly("hello");
    // the request for the connection and its answer, the question and its answer
    assertThat(group.elapsed()).isBetween(Duration.ofHours(4), Duration.ofHours(5));
  }

  /// A run with several clients, faults, and all that has happened in the network.
  private static List<String> course(long seed) {
    NodeGroup group = new NodeGroup(seed);
    List<String> course = new ArrayList<>();
    group.network().observe(event -> course.add(event.toString()));
    group.network().setFaults(Faults.usual().withReset(0.01));
    SimulatedHost server = group.network().host("server");
    group.service(server, NodeGroupTest::echo);
    for (int i = 0; i < 3; i++) {
      SimulatedHost client = group.network().host("client" + i);
      group.node(
          client,
          () -> {
            for (int k = 0; k < 10; k++) {
              try {
                course.add(client.name() + ": " + ask(server, "question " + k));
              } catch (IOException e) {
                course.add(client.name() + ": " + e);
              }
            }
          });
    }
    group.run();
    course.add(group.network().fingerprint() + " at " + group.elapsed());
    return course;
  }

  @Test
  void sameSeed_takesTheSameCourse_andOthersDiffer() {
    List<String> first = course(7);
    for (int i = 0; i < 10; i++) {
      assertThat(course(7)).isEqualTo(first);
    }
    assertThat(course(8)).isNotEqualTo(first);
  }

  @Test
  void partition_thatDelays_holdsTheAnswerUntilItHeals() {
    NodeGroup group = new NodeGroup(3);
    SimulatedHost server = group.network().host("server");
    SimulatedHost client = group.network().host("client");
    group.service(server, NodeGroupTest::echo);
    group.node(
        client,
        () -> {
          var healing = group.network().partition(Set.of(server), Set.of(client), Partition.DELAY);
          Heddle.launch(
              "healer",
              () -> {
                Heddle.delay(Duration.ofDays(1));
                healing.close();
              });
          assertThat(ask(server, "hello")).isEqualTo("hello");
        });
    group.run();
    assertThat(group.elapsed()).isGreaterThan(Duration.ofDays(1));
  }

  @Test
  void partition_thatDrops_breaksTheConnectionAfterAllItsAttempts() {
    NodeGroup group = new NodeGroup(3);
    SimulatedHost server = group.network().host("server");
    SimulatedHost client = group.network().host("client");
    group.service(server, NodeGroupTest::echo);
    group.node(
        client,
        () -> {
          StreamSocket socket = Tcp.connect(new InetSocketAddress(server.address(), PORT));
          group.network().partition(Set.of(server), Set.of(client), Partition.DROP);
          socket.write(ByteBuffer.allocate(1));
          assertThatThrownBy(socket::readLine)
              .isInstanceOf(IOException.class)
              .hasMessage("Connection timed out");
          assertThatThrownBy(() -> ask(server, "again"))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("Connection timed out");
          socket.close();
        });
    group.run();
    assertThat(group.elapsed()).isGreaterThan(Duration.ofMinutes(10));
  }

  @Test
  void crash_ofAServer_resetsItsConnectionsOnceItIsBack() {
    NodeGroup group = new NodeGroup(4);
    SimulatedHost server = group.network().host("server");
    Node node = group.service(server, NodeGroupTest::echo);
    group.node(
        group.network().host("client"),
        () -> {
          StreamSocket socket = Tcp.connect(new InetSocketAddress(server.address(), PORT));
          socket.write(StandardCharsets.UTF_8.encode("one\n"));
          assertThat(socket.readLine()).isEqualTo("one");
          node.crash();
          node.restart();
          socket.write(StandardCharsets.UTF_8.encode("two\n"));
          assertThatThrownBy(socket::readLine)
              .isInstanceOf(IOException.class)
              .hasMessage("Connection reset");
          socket.close();
          assertThat(ask(server, "three")).isEqualTo("three");
        });
    group.run();
  }

  @Test
  void nodesThatWaitForEachOther_areADeadlock() {
    NodeGroup group = new NodeGroup(5);
    SimulatedHost server = group.network().host("server");
    group.service(server, NodeGroupTest::echo);
    group.node(
        group.network().host("client"),
        () -> {
          try (StreamSocket socket = Tcp.connect(new InetSocketAddress(server.address(), PORT))) {
            socket.readLine();
          }
        });
    assertThatThrownBy(group::run)
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("input from the connection to");
  }

  @Test
  void failure_ofANode_isThrownAndStopsTheOthers() {
    NodeGroup group = new NodeGroup(6);
    IllegalStateException failure = new IllegalStateException("on purpose");
    group.node(
        group.network().host("one"),
        () -> {
          throw failure;
        });
    group.node(group.network().host("other"), () -> Heddle.delay(Duration.ofDays(1_000)));
    assertThatThrownBy(group::run).isSameAs(failure);
    assertThat(group.elapsed()).isLessThan(Duration.ofDays(1));
  }

  @Test
  void observers_seeWhatHappensInOrder() {
    NodeGroup group = new NodeGroup(2);
    List<NetworkEvent.Kind> kinds = new ArrayList<>();
    group.network().observe(event -> kinds.add(event.kind()));
    SimulatedHost server = group.network().host("server");
    group.service(server, NodeGroupTest::echo);
    group.node(group.network().host("client"), () -> ask(server, "x"));
    group.run();
    assertThat(kinds)
        .containsExactly(
            NetworkEvent.Kind.CONNECT,
            NetworkEvent.Kind.CONNECTED,
            NetworkEvent.Kind.DATA,
            NetworkEvent.Kind.DATA); // the group ends before the end of the stream arrives
  }
}
