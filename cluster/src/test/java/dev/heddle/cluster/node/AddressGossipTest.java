// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.SendResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What a node tells others of where they are. That all meet of whom one knows is in `DnsJoinTest`.
class AddressGossipTest {
  private record Place(String name) implements Engine.Address {}

  /// Knows where each address is, and notes what it is told.
  private static final class Noting implements Engine {
    final List<String> learnt = new ArrayList<>();

    @Override
    public void open(Listener listener) {}

    @Override
    public Address address() {
      return new Place("a");
    }

    @Override
    public void send(Address to, byte[] packet, Urgency urgency) {}

    @Override
    public void forget(Address address) {}

    @Override
    public byte[] describe(Address address) {
      return ((Place) address).name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void learn(byte[] description) {
      learnt.add(new String(description, StandardCharsets.UTF_8));
    }

    @Override
    public void close() {}
  }

  private final Noting engine = new Noting();
  private final Map<String, Engine.Address> inSession = new TreeMap<>();
  private final List<String> sent = new ArrayList<>(); // to whom
  private long now = System.nanoTime();
  private SendResult result = SendResult.ACCEPTED;
  private final AddressGossip gossip = new AddressGossip("a", engine, () -> inSession, this::send);

  private SendResult send(String node, Frame.Service message) {
    assertThat(message.name()).isEqualTo(gossip.name());
    if (result == SendResult.ACCEPTED) {
      sent.add(node);
    }
    return result;
  }

  private void open(String... nodes) {
    List.of(nodes).forEach(node -> inSession.put(node, new Place("at " + node)));
  }

  private static NodeLife life(String node) {
    return new NodeLife(node, "main", 1);
  }

  private static byte[] telling(String... nodes) {
    Map<String, byte[]> all = new TreeMap<>();
    for (String node : nodes) {
      all.put(node, ("at " + node).getBytes(StandardCharsets.UTF_8));
    }
    return AddressGossip.encode(all);
  }

  /// A second passes.
  private void second() {
    now += 1_000_000_000;
    var _ = gossip.run(now);
  }

  @Test
  void addresses_areToldOnce_toAllInSession_ifThereIsAnother() {
    open("b");
    second();
    assertThat(sent).isEmpty();
    open("c");
    second();
    assertThat(sent).containsExactly("b", "c");
    second(); // nothing has changed
    assertThat(sent).hasSize(2);
  }

  @Test
  void addresses_areToldAgain_afterAFullOutbox_andInTheNextSession() {
    open("b", "c");
    result = SendResult.FULL;
    second();
    result = SendResult.ACCEPTED;
    second();
    assertThat(sent).containsExactly("b", "c");
    gossip.ended(life("b"));
    second();
    assertThat(sent).containsExactly("b", "c", "b");
  }

  /// The last node in session went on to greet the ended one for ever.
  @Test
  void endOfANode_isToldToTheLastOneInSession() {
    open("b", "c");
    second();
    inSession.remove("c");
    gossip.ended(life("c"));
    second();
    assertThat(sent).containsExactly("b", "c", "b");
    second();
    assertThat(sent).hasSize(3);
  }

  @Test
  void addressesOfOthers_areLearnt_unlessTheyAreInSessionOrOwn() {
    open("b", "c");
    gossip.received(life("b"), telling("a", "c", "d"));
    second();
    assertThat(sent).containsExactly("b", "c");
    assertThat(engine.learnt).containsExactly("at d");
  }

  @Test
  void addressesOfANodeWhoseSessionHasEnded_areForgotten() {
    open("b", "c");
    gossip.received(life("b"), telling("d"));
    gossip.ended(life("b"));
    gossip.received(life("c"), new byte[] {9}); // malformed: ignored
    second();
    assertThat(engine.learnt).isEmpty();
  }

  /// Each second all of them took the places of nodes that were about to answer.
  @Test
  void addressesThatANodeHasInvented_areLearntAFewASecond_inTurn() throws IOException {
    open("b");
    String[] invented = IntStream.range(0, 40).mapToObj(i -> "x" + i).toArray(String[]::new);
    gossip.received(life("b"), telling(invented));
    second();
    assertThat(engine.learnt).hasSize(16);
    second();
    second();
    assertThat(engine.learnt).hasSize(48);
    assertThat(Set.copyOf(engine.learnt)).as("each has its turn").hasSize(40);
    String[] tooMany = IntStream.range(0, 257).mapToObj(i -> "x" + i).toArray(String[]::new);
    assertThatThrownBy(() -> AddressGossip.decode(telling(tooMany)))
        .isInstanceOf(IOException.class);
    assertThat(AddressGossip.decode(telling(Arrays.copyOf(tooMany, 256)))).hasSize(256);
  }

  @Test
  void decode_ofWhatIsNoList_throwsAndTakesNoSpace() throws IOException {
    byte[] good = telling("b", "c");
    assertThat(AddressGossip.decode(good)).containsOnlyKeys("b", "c");
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> AddressGossip.decode(cut)).isInstanceOf(IOException.class);
    }
    String[] many = IntStream.rangeClosed(0, 4_096).mapToObj(i -> "n" + i).toArray(String[]::new);
    assertThatThrownBy(() -> AddressGossip.decode(telling(many)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("4097 addresses");
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = good.clone();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(AddressGossip.decode(bytes)).hasSizeLessThanOrEqualTo(256);
      } catch (IOException e) {
        assertThat(e).isNotNull(); // any other failure is a fault
      }
    }
  }
}
