// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static dev.heddle.cluster.engine.EngineProbe.next;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;

/// The engine over real sockets.
@Timeout(600)
class JGroupsEngineTest {
  private static final long PAUSE_MILLIS = 100; // between two tries

  @Test
  void send_manyPacketsOfEverySize_arriveInOrder() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, a, b);
        var two = EngineProbe.open("b", b, null, a, b)) {
      Engine.Address to = one.waitFor(two);
      int[] sizes = {4, 100, 48 * 1024, 59_990, 60_000, 70_000, 1 << 20};
      for (int i = 0; i < 200; i++) {
        byte[] packet = new byte[sizes[i % sizes.length]];
        ByteBuffer.wrap(packet).putInt(i);
        if (i % 2 == 0) {
          one.engine.send(to, packet, Engine.Urgency.IN_ORDER);
        } else {
          one.engine.send(to, new OutgoingArray(packet), Engine.Urgency.IN_ORDER);
        }
      }
      for (int i = 0; i < 200; i++) {
        EngineProbe.Packet packet = next(two.packets);
        assertThat(packet.from()).isEqualTo(one.engine.address());
        assertThat(packet.content()).hasSize(sizes[i % sizes.length]);
        assertThat(ByteBuffer.wrap(packet.content()).getInt()).isEqualTo(i);
      }
    }
  }

  @Test
  void send_urgent_arrives() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      byte[] packet = {1, 2, 3};
      one.engine.send(one.waitFor(two), packet, Engine.Urgency.URGENT);
      assertThat(next(two.packets).content()).isEqualTo(packet);
    }
  }

  @Test
  void greeting_toAnAddressWhereNobodyAnswers_isNotKept() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b)) {
      Engine.Address to;
      try (var two = EngineProbe.open("b", b, null, a)) {
        to = one.waitFor(two);
        one.engine.send(to, new byte[] {1}, Engine.Urgency.ONCE);
        assertThat(next(two.packets).content()).containsExactly(1);
        one.engine.send(to, new byte[1], Engine.Urgency.URGENT);
        assertThat(one.engine.keepsFor(to)).isTrue();
      }
      one.engine.forget(to);
      one.engine.send(to, new byte[1], Engine.Urgency.ONCE);
      assertThat(one.engine.keepsFor(to)).isFalse();
    }
  }

  /// Nobody listens at b when a opens: so a, which does not look there, is refused by nobody.
  @Test
  void connection_cutByOne_isClosedForTheOther_whichSuspectsNobody() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, a);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      one.engine.send(to, new byte[1], Engine.Urgency.IN_ORDER);
      next(two.packets);
      Engine.Address closed = null;
      while (closed == null) { // it is not told if b has connected anew before it sees the end
        two.engine.forget(one.engine.address()); // closes the connection, and no more
        closed = one.closed.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      }
      assertThat(closed).isEqualTo(to);
      EngineProbe.Packet again = null;
      while (again == null) { // a late end of an earlier connection may take one with it
        one.engine.send(to, new byte[] {2}, Engine.Urgency.URGENT);
        again = two.packets.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      }
      assertThat(again.content()).containsExactly(2);
      assertThat(one.suspected).isEmpty();
    }
  }

  @Test
  void send_whereNobodyListensAnyMore_isARumour() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b)) {
      Engine.Address to;
      try (var two = EngineProbe.open("b", b, null, a)) {
        to = one.waitFor(two);
      }
      one.engine.send(to, new byte[1], Engine.Urgency.URGENT);
      assertThat(next(one.suspected)).isEqualTo(to);
    }
  }

  @Test
  void forget_ofOneThatLives_isFoundAgainAtItsNextPacket() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      one.engine.send(to, new byte[] {1}, Engine.Urgency.IN_ORDER);
      next(two.packets);
      one.engine.forget(to);
      Engine.Address back = two.waitFor(one);
      two.engine.send(back, new byte[] {2}, Engine.Urgency.IN_ORDER);
      assertThat(next(one.packets).content()).containsExactly(2);
      assertThat(one.waitFor(two)).isEqualTo(to);
      one.engine.send(to, new byte[] {3}, Engine.Urgency.IN_ORDER);
      assertThat(next(two.packets).content()).containsExactly(3);
    }
  }

  @Test
  void ended_isNotFoundInALaterView_butWhenItGreets() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    int c = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      one.engine.ended(to);
      try (var three = EngineProbe.open("c", c, null, a, b)) {
        three.engine.send(three.waitFor(one), new byte[] {3}, Engine.Urgency.IN_ORDER);
        next(one.packets);
        assertThat(one.found).contains(three.engine.address()).doesNotContain(to);
        one.engine.greeted(to);
        one.engine.forget(to);
        two.engine.send(two.waitFor(one), new byte[] {2}, Engine.Urgency.IN_ORDER);
        assertThat(one.waitFor(two)).isEqualTo(to);
      }
    }
  }

  /// GOODBYE overtakes the packets that were sent before it: the last of them comes behind it.
  @Test
  void packetBehindAGoodbye_findsNobody() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      Engine.Address back = two.waitFor(one);
      one.found.clear();
      one.engine.ended(to);
      two.engine.send(back, new byte[] {2}, Engine.Urgency.IN_ORDER);
      assertThat(next(one.packets).content()).containsExactly(2);
      assertThat(one.found).isEmpty();
    }
  }

  /// What is missing before it would be asked for twice a second, which keeps a thread as well.
  @Test
  void packetBehindAGoodbye_isNotKept() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      Engine.Address back = two.waitFor(one);
      one.engine.ended(to);
      two.engine.send(back, new byte[] {2}, Engine.Urgency.IN_ORDER);
      next(one.packets);
      int left = 1;
      for (int tries = 0; tries < 1_000 && left > 0; tries++) { // JGroups sends, too
        one.engine.forgetEnded();
        left = one.engine.receiveConnections();
      }
      assertThat(left).isZero();
    }
  }

  /// A node that is stopped does not close it.
  @Test
  void ended_connectionIsClosed() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      Engine.Address back = two.waitFor(one);
      one.engine.ended(to);
      one.engine.forgetEnded();
      assertThat(next(two.closed)).isEqualTo(back);
    }
  }

  @Test
  void ended_connectionOfTheNextNodeAtItsPlaceStays() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("a", a, null, b)) {
      try (var two = EngineProbe.open("b", b, null, a)) {
        one.engine.ended(one.waitFor(two));
      }
      try (var next = EngineProbe.open("b", b, null, a)) {
        Engine.Address to = one.waitFor(next);
        one.engine.send(to, new byte[] {1}, Engine.Urgency.IN_ORDER);
        next(next.packets);
        boolean stays = false;
        for (int tries = 0; tries < 1_000 && !stays; tries++) { // JGroups may close one of two
          one.engine.forgetEnded();
          stays = one.engine.isConnectedTo(to);
          one.engine.send(to, new byte[] {2}, Engine.Urgency.IN_ORDER);
          next(next.packets);
        }
        assertThat(stays).isTrue();
      }
    }
  }

  @Test
  void forget_endsTheSenderThreadOfThatNode() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (var one = EngineProbe.open("leaker", a, null, b);
        var two = EngineProbe.open("b", b, null, a)) {
      Engine.Address to = one.waitFor(two);
      one.engine.send(to, new byte[] {1}, Engine.Urgency.IN_ORDER);
      next(two.packets);
      List<Thread> senders = senders("leaker");
      assertThat(senders).isNotEmpty();
      one.engine.forget(to);
      awaitEndOfOne(senders);
    }
  }

  /// As a HELLO to a node that was killed: JGroups tells the engine nothing of it any more.
  @Test
  void send_toAnAddressWhereNobodyIs_leavesNoSenderThread() throws Exception {
    int a = TestPorts.next();
    try (var one = EngineProbe.open("greeter", a, null, a)) {
      int addresses = 2 * DestinationQueues.MOST_STRANGERS;
      for (int i = 0; i < addresses; i++) {
        one.engine.send(nobody(), new byte[] {1}, Engine.Urgency.ONCE);
      }
      // it may have one more, for messages to all
      assertThat(senders("greeter")).hasSizeBetween(1, DestinationQueues.MOST_STRANGERS + 1);
      for (var left = senders("greeter"); left.size() > 1; left = senders("greeter")) {
        awaitEndOfOne(left);
      }
    }
  }

  /// As when it is forgotten by one thread while another has just made it.
  @Test
  void queue_thatEndsBeforeItStarts_doesNotStart_norTakesAnything() throws Exception {
    int a = TestPorts.next();
    try (var one = EngineProbe.open("late", a, null, a)) {
      DestinationQueues queues = one.engine.queues();
      UUID to = UUID.randomUUID();
      DestinationQueues.Queue queue = queues.new Queue(to);
      queue.stop();
      queue.start();
      assertThat(queue.isThreadAlive()).isFalse();
      assertThat(queue.send(new BytesMessage(to, new byte[1]))).isFalse();
    }
  }

  private static void awaitEndOfOne(List<Thread> threads) throws Exception {
    CompletableFuture<Thread> ended = new CompletableFuture<>();
    for (Thread thread : threads) {
      Thread.startVirtualThread(() -> {
        try {
          thread.join();
          ended.complete(thread);
        } catch (InterruptedException e) {
          ended.completeExceptionally(e);
        }
      });
    }
    assertThat(ended.get(2, TimeUnit.MINUTES).isAlive()).isFalse();
  }

  private static Engine.Address nobody() {
    return new JGroupsEngine.PeerAddress(UUID.randomUUID());
  }

  private static List<Thread> senders(String node) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(it -> it.getName().contains("pd-bundler") && it.getName().contains(node))
        .toList();
  }

  @Test
  void open_portTaken_failsWithTheAddressAndWhatToDo() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> EngineProbe.open("a", port, null, port))
          .isInstanceOf(JGroupsEngine.PortTakenException.class)
          .hasMessageContainingAll(
              "port " + port + " of 127.0.0.1",
              "taken by "
                  + (OS.LINUX.isCurrentOs() ? "this process, " : "another program (ss -ltnp"),
              "bind to another port");
    }
  }

  @Test
  void open_addressOfAnotherMachine_fails() {
    var settings =
        new JGroupsEngine.Settings(
            "a", new InetSocketAddress("192.0.2.1", 7600), 7600, List.of(), null);
    assertThatThrownBy(() -> new JGroupsEngine(settings).open(noListener()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("192.0.2.1 is not an address of this machine");
  }

  @Test
  void threads_ofAnOpenEngine_arePlatformDaemons() throws Exception {
    int a = TestPorts.next();
    try (var one = EngineProbe.open("only", a, null, a)) {
      assertThat(one.engine.address()).isNotNull();
      List<Thread> threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().contains("only"))
              .toList();
      assertThat(threads).isNotEmpty().allMatch(Thread::isDaemon).noneMatch(Thread::isVirtual);
    }
  }

  @Test
  void open_ofOneThatWasClosedMeanwhile_leavesNoPortOpen() throws Exception {
    int port = TestPorts.next();
    InetAddress here = InetAddress.getLoopbackAddress();
    var settings =
        new JGroupsEngine.Settings("a", new InetSocketAddress(here, port), port, List.of(), null);
    var engine = new JGroupsEngine(settings);
    engine.close(); // as by an interrupt of the thread that joins
    assertThatThrownBy(() -> engine.open(noListener()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("node 'a' was closed while it joined");
    new ServerSocket(port, 1, here).close();
  }

  /// The request of a node that started again was lost with one of two connections, and nobody was
  /// asked for up to four seconds. A machine that stands still may miss all later requests of one
  /// start, not those of ten.
  @Test
  void seedThatDoesNotAnswer_isAskedAgainWhileTheNodeJoins() throws Exception {
    int most = 0;
    try (var silent = new ServerSocket(0, 200, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < 10 && most < 2; i++) {
        try (var one = EngineProbe.open("a", TestPorts.next(), null, silent.getLocalPort())) {
          JChannel stack = Objects.requireNonNull(one.engine.channel());
          SeedDiscovery discovery = stack.getProtocolStack().findProtocol(SeedDiscovery.class);
          most = Math.max(most, discovery.searches());
        }
      }
    }
    assertThat(most).isGreaterThan(1);
  }

  @Test
  void address_beforeOpen_isRefused() {
    var settings =
        new JGroupsEngine.Settings(
            "a",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 7600),
            7600,
            List.of(),
            null);
    var engine = new JGroupsEngine(settings);
    assertThatThrownBy(engine::address).isInstanceOf(IllegalStateException.class);
  }

  private static Engine.Listener noListener() {
    return new Engine.Listener() {
      @Override
      public void found(Engine.Address address) {}

      @Override
      public void closed(Engine.Address address) {}

      @Override
      public void suspected(Engine.Address address) {}

      @Override
      public void received(Engine.Address from, byte[] packet) {
        throw new AssertionError(Arrays.toString(packet));
      }
    };
  }
}
