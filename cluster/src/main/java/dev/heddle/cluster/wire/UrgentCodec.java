// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.Urgent.Ack;
import dev.heddle.cluster.wire.Urgent.Ended;
import dev.heddle.cluster.wire.Urgent.Farewell;
import dev.heddle.cluster.wire.Urgent.Goodbye;
import dev.heddle.cluster.wire.Urgent.Hello;
import dev.heddle.cluster.wire.Urgent.HelloRefused;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.cluster.wire.Urgent.Ping;
import dev.heddle.cluster.wire.Urgent.Pong;
import dev.heddle.cluster.wire.Urgent.Refusal;
import dev.heddle.cluster.wire.Urgent.Welcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// [Urgent] as bytes: a frame, as [FrameCodec] describes it.
///
/// What follows the known part of a body is ignored: a later release may add to it, and speaks with
/// this one before they have agreed on a version.
final class UrgentCodec {
  private static final int HELLO = 0x60;
  private static final int WELCOME = 0x61;
  private static final int HELLO_REFUSED = 0x62;
  private static final int PING = 0x63;
  private static final int PONG = 0x64;
  private static final int ACK = 0x65;
  private static final int ENDED = 0x66;
  private static final int GOODBYE = 0x67;

  // the index is the code; OTHER, for unknown codes too, is the last one
  private static final List<Refusal> REFUSALS =
      List.of(
          Refusal.OTHER_CLUSTER,
          Refusal.NO_COMMON_VERSION,
          Refusal.NAME_TAKEN,
          Refusal.LEAVING,
          Refusal.OTHER);
  private static final List<Farewell> FAREWELLS =
      List.of(Farewell.LEAVING, Farewell.MALFORMED, Farewell.OTHER);

  private static final int OTHER_CODE = 255;

  private UrgentCodec() {}

  static byte[] encode(Urgent urgent) {
    WireOutput out = new WireOutput();
    switch (urgent) {
      case Hello(Introduction sender) -> {
        out.octet(HELLO);
        write(out, sender);
      }
      case Welcome(Introduction sender, long greeted, int version) -> {
        out.octet(WELCOME);
        out.fixed(greeted);
        out.octet(version);
        write(out, sender); // last: a later release may add to it
      }
      case HelloRefused(String node, long greeted, Refusal why, String text) -> {
        out.octet(HELLO_REFUSED);
        out.name(node);
        out.fixed(greeted);
        out.octet(why == Refusal.OTHER ? OTHER_CODE : REFUSALS.indexOf(why));
        out.text(text);
      }
      case Ping(long token) -> {
        out.octet(PING);
        out.fixed(token);
      }
      case Pong(long token) -> {
        out.octet(PONG);
        out.fixed(token);
      }
      case Ack() -> out.octet(ACK);
      case Ended(String text) -> {
        out.octet(ENDED);
        out.text(text);
      }
      case Goodbye(Farewell why, String text) -> {
        out.octet(GOODBYE);
        out.octet(why == Farewell.OTHER ? OTHER_CODE : FAREWELLS.indexOf(why));
        out.text(text);
      }
    }
    return out.frame();
  }

  private static void write(WireOutput out, Introduction it) {
    out.name(it.cluster());
    out.name(it.life().node());
    out.name(it.life().host());
    out.varint(it.life().life());
    out.fixed(it.number());
    out.octet(it.oldestVersion());
    out.octet(it.newestVersion());
    out.varint(it.features());
    out.varint(it.labels().size());
    it.labels()
        .forEach((key, value) -> {
          out.name(key);
          out.name(value);
        });
    out.varint(it.entries().size());
    it.entries().forEach(out::name);
  }

  /// @param packet an urgent one
  static Urgent decode(byte[] packet) throws MalformedPacketException {
    WireInput frames = new WireInput(packet, Packet.HEADER_BYTES, packet.length);
    WireInput in = frames.part();
    frames.checkEnd();
    int kind = in.octet();
    return switch (kind) {
      case HELLO -> new Hello(readIntroduction(in));
      case WELCOME -> {
        long greeted = in.fixed();
        int version = in.octet();
        yield new Welcome(readIntroduction(in), greeted, version);
      }
      case HELLO_REFUSED ->
          new HelloRefused(in.name(), in.fixed(), readCode(in, REFUSALS), in.text());
      case PING -> new Ping(in.fixed());
      case PONG -> new Pong(in.fixed());
      case ACK -> new Ack();
      case ENDED -> new Ended(in.text());
      case GOODBYE -> new Goodbye(readCode(in, FAREWELLS), in.text());
      default -> throw in.malformed("unknown urgent frame 0x%02x".formatted(kind));
    };
  }

  private static Introduction readIntroduction(WireInput in) throws MalformedPacketException {
    String cluster = in.name();
    NodeLife life =
        new NodeLife(
            in.nonEmptyName(), in.nonEmptyName(), in.number(Integer.MAX_VALUE, "an incarnation"));
    long number = in.fixed();
    int oldest = in.octet();
    int newest = in.octet();
    long features = in.varint();
    Map<String, String> labels = new HashMap<>();
    for (int left = in.count(2); left > 0; left--) {
      labels.put(in.name(), in.name());
    }
    List<String> entries = new ArrayList<>();
    for (int left = in.count(1); left > 0; left--) {
      entries.add(in.name());
    }
    return new Introduction(cluster, life, number, oldest, newest, features, labels, entries);
  }

  private static <T> T readCode(WireInput in, List<T> codes) throws MalformedPacketException {
    return codes.get(Math.min(in.octet(), codes.size() - 1));
  }
}
