// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessageCodec.AskFailed;
import dev.heddle.cluster.shard.ShardMessageCodec.OfShard;
import dev.heddle.cluster.shard.ShardMessageCodec.Packet;
import dev.heddle.cluster.shard.ShardMessageCodec.UnreadableException;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.cluster.wire.MessageReader;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShardMessageCodecTest {
  private static final NodeLife A = new NodeLife("a", "main", 7);
  private final MessageTypes types = MessageTypes.of(List.of(), List.of());
  private final MessageWriter writer = new MessageWriter(types, A);
  private final MessageReader reader = new MessageReader(types, A, types.signatures());

  private Packet decode(byte[] bytes) throws UnreadableException {
    return ShardMessageCodec.decode(
        bytes, (_, content) -> new Payload(reader.decode(content), content));
  }

  private List<Packet> packets() {
    byte[] content = writer.encode("milk");
    EntityMessage whole = new EntityMessage("b", "42", 3, new Payload("milk", content), 73);
    EntityMessage head = new EntityMessage("b", "42", 3, Payload.NONE, 0);
    FailureText failure = new FailureText("Type", null, "trace");
    return List.of(
        new OfShard("cart", 5, new ShardMessage.Deliver(9, whole)),
        new OfShard("cart", 5, new ShardMessage.Bounced(9, whole)),
        new OfShard("cart", 5, new ShardMessage.Forward(9, whole)),
        new OfShard("cart", 5, new ShardMessage.Failed(head, Failure.FULL)),
        new OfShard("cart", 5, new ShardMessage.Failed(head, Failure.ENTITY_FAILED, "cause")),
        new OfShard("cart", 5, new ShardMessage.Taken(9, 62, 4_000)),
        new OfShard("cart", 5, new ShardMessage.HandedOver(head, "c", 9)),
        new OfShard("cart", 5, new ShardMessage.ReplyWanted(7)),
        new OfShard("cart", 5, new ShardMessage.NotHere(7)),
        new OfShard("cart", 5, new ShardMessage.Flush(9, true)),
        new OfShard("cart", 5, new ShardMessage.Flushed(9)),
        new OfShard("cart", 5, new ShardMessage.EndOfHandoff(9)),
        new OfShard("cart", 5, new ShardMessage.HandoffTaken(9, false)),
        new ShardMessageCodec.GiveUp(3),
        new AskFailed(3, failure),
        new AskFailed(3, new FailureText("Type", "text", "trace")));
  }

  @Test
  void packets_comeBackAsTheyWere() throws UnreadableException {
    for (Packet packet : packets()) {
      byte[] bytes = ShardMessageCodec.encode(packet, writer);

      assertThat(ShardMessageCodec.encode(decode(bytes), writer)).isEqualTo(bytes);
      assertThat(decode(bytes).toString().replaceAll("\\[B@\\w+|bytes=\\d+", ""))
          .isEqualTo(packet.toString().replaceAll("\\[B@\\w+|bytes=\\d+", ""));
    }
  }

  @Test
  void message_ofAnotherNode_isEncodedHere_beforeItGoesOn() throws UnreadableException {
    EntityMessage forwarded = new EntityMessage("b", "42", 0, new Payload("milk", null), 73);

    Packet decoded =
        decode(
            ShardMessageCodec.encode(
                new OfShard("cart", 5, new ShardMessage.Forward(9, forwarded)), writer));

    assertThat(decoded)
        .isInstanceOfSatisfying(
            OfShard.class,
            it ->
                assertThat(Payload.of(((ShardMessage.Forward) it.message()).message()).value())
                    .isEqualTo("milk"));
  }

  @Test
  void bytes_thatAreCutOffOrChanged_areRefused_andNothingElseHappens() {
    Random random = new Random(5);
    for (Packet packet : packets()) {
      byte[] bytes = ShardMessageCodec.encode(packet, writer);
      for (int i = 0; i < 2_000; i++) {
        byte[] bad = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        if (bad.length > 0) {
          bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        }
        try {
          Packet _ = decode(bad);
        } catch (IllegalArgumentException | UnreadableException e) {
          assertThat(e).isNotNull(); // one of the two is promised
        }
      }
    }
    assertThatThrownBy(() -> decode(new byte[0])).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void page_hasEachPacketAndMessage_withItsNumber() throws IOException {
    String root = System.getProperty("heddle.root");
    String page = Files.readString(Path.of(root, "docs/reference/wire.md"));
    int message = 1 + 2 + "cart".length() + 4; // in the bytes of OfShard
    for (Packet packet : packets()) {
      byte[] bytes = ShardMessageCodec.encode(packet, writer);
      assertThat(page).contains(row(packet, bytes[0]));
      if (packet instanceof OfShard it) {
        assertThat(page).contains(row(it.message(), bytes[message]));
      }
    }
    for (Class<?> kind : ShardMessage.class.getPermittedSubclasses()) {
      assertThat(page).contains("| `%s` | ".formatted(kind.getSimpleName()));
    }
  }

  private static String row(Object of, int number) {
    return "| `%s` | %d | ".formatted(of.getClass().getSimpleName(), number);
  }
}
