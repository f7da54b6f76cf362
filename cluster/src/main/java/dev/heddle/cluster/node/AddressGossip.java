// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.SendResult;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// Tells the nodes in session where the others are, so that all come in touch of whom one knows.
///
/// Two nodes whose seeds do not name each other may be in touch with a third one for ever without
/// hearing of each other: views of the engine grow by merging, which needs nodes that know each
/// other already.
final class AddressGossip implements ClusterNode.Part {
  /*
   * Each second, if it has changed, a node tells each other one where those in session with it are.
   * Only these: an address of a node that has ended would be greeted by all for ever. What it has
   * heard it passes to its engine each second, as long as it is told and there is no session; if
   * that is much, a part of it each second, in turn: each address that nobody answers at costs a
   * connection and takes the place of another one that is greeted.
   *
   * Threads. `run` is the agent's. `received` and `ended` are called under the order of a session.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.node");
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final int FORMAT = 1;
  private static final int MOST = 256; // nodes that one tells of: so many can be greeted
  private static final int EACH_SECOND = 16; // addresses that are learnt
  private static final int MOST_BYTES = 256; // of one address

  private final String self;
  private final Engine engine;
  private final Supplier<Map<String, Address>> inSession;
  private final BiFunction<String, Frame.Service, SendResult> send;

  // any thread, by the name of the node that tells
  private final Map<String, Map<String, byte[]>> heard = new ConcurrentHashMap<>();
  private final Set<String> ended = ConcurrentHashMap.newKeySet(); // since the last run

  // the agent only
  private final Map<String, byte[]> told = new HashMap<>();
  private int learnt; // the place of the last one
  private long at = System.nanoTime();

  /// @param inSession where the nodes in session are, by name
  /// @param send of [ClusterNode#send]
  AddressGossip(
      String self,
      Engine engine,
      Supplier<Map<String, Address>> inSession,
      BiFunction<String, Frame.Service, SendResult> send) {
    this.self = self;
    this.engine = engine;
    this.inSession = inSession;
    this.send = send;
  }

  /// A release that does not know it ignores it.
  @Override
  public String name() {
    return "addresses";
  }

  @Override
  public void opened(NodeLife node) {}

  @Override
  public void received(NodeLife from, byte[] content) {
    try {
      heard.put(from.node(), decode(content));
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "ignored addresses of node '" + from.node() + "'", e);
    }
  }

  @Override
  public void ended(NodeLife node) {
    heard.remove(node.node());
    ended.add(node.node());
  }

  @Override
  public long run() {
    return run(System.nanoTime());
  }

  /// @param now of [System#nanoTime]
  long run(long now) {
    if (now - at < 0) {
      return at;
    }
    at = now + SECOND_NANOS;
    ended.removeIf(each -> { // the next session is told anew
      told.remove(each);
      return true;
    });
    Map<String, Address> all = inSession.get();
    tell(all);
    learn(all);
    return at;
  }

  private void learn(Map<String, Address> all) {
    Map<String, byte[]> found = new TreeMap<>(); // by their bytes: several nodes tell of one
    heard.forEach((teller, addresses) -> {
      if (all.containsKey(teller)) { // else the last word of a session that has ended
        addresses.forEach((node, address) -> {
          if (!node.equals(self) && !all.containsKey(node)) {
            found.put(HexFormat.of().formatHex(address), address);
          }
        });
      }
    });
    List<byte[]> unknown = List.copyOf(found.values());
    int count = Math.min(unknown.size(), EACH_SECOND);
    for (int i = 0; i < count; i++) {
      learnt = (learnt + 1) % unknown.size();
      engine.learn(unknown.get(learnt));
    }
  }

  private void tell(Map<String, Address> all) {
    Map<String, byte[]> known = new TreeMap<>();
    all.forEach((node, address) -> {
      byte[] bytes = engine.describe(address);
      if (bytes.length > 0 && known.size() < MOST) {
        known.put(node, bytes);
      }
    });
    if (known.size() < 2 && told.isEmpty()) {
      return; // there is nobody to tell of another, nor who was told of one
    }
    byte[] content = encode(known);
    for (String node : all.keySet()) {
      if (!Arrays.equals(content, told.get(node))
          && send.apply(node, new Frame.Service(name(), content)) == SendResult.ACCEPTED) {
        told.put(node, content);
      }
    }
  }

  // ---- as bytes ----

  static byte[] encode(Map<String, byte[]> addresses) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeByte(FORMAT);
      out.writeInt(addresses.size());
      for (Map.Entry<String, byte[]> each : addresses.entrySet()) {
        out.writeUTF(each.getKey());
        out.writeShort(each.getValue().length);
        out.write(each.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // names have at most 1 KiB
    }
    return bytes.toByteArray();
  }

  /// @throws IOException when it is of another format, or malformed
  static Map<String, byte[]> decode(byte[] content) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
    int format = in.readUnsignedByte();
    int count = in.readInt();
    if (format != FORMAT || count < 0 || count > MOST) {
      throw new IOException("format %d, %d addresses".formatted(format, count));
    }
    Map<String, byte[]> addresses = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      String node = in.readUTF();
      int length = in.readUnsignedShort();
      if (length > MOST_BYTES) {
        throw new IOException("an address of %d bytes".formatted(length));
      }
      byte[] address = new byte[length];
      in.readFully(address);
      addresses.put(node, address);
    }
    return addresses;
  }
}
