// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardMessage.Bounced;
import dev.heddle.cluster.shard.ShardMessage.Deliver;
import dev.heddle.cluster.shard.ShardMessage.EndOfHandoff;
import dev.heddle.cluster.shard.ShardMessage.Failed;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessage.Flush;
import dev.heddle.cluster.shard.ShardMessage.Flushed;
import dev.heddle.cluster.shard.ShardMessage.Forward;
import dev.heddle.cluster.shard.ShardMessage.HandedOver;
import dev.heddle.cluster.shard.ShardMessage.HandoffTaken;
import dev.heddle.cluster.shard.ShardMessage.NotHere;
import dev.heddle.cluster.shard.ShardMessage.ReplyWanted;
import dev.heddle.cluster.shard.ShardMessage.Taken;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.NotSendableException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/// What the nodes tell each other about shards, as bytes.
final class ShardMessageCodec {
  /// What one node tells another.
  sealed interface Packet {}

  /// About one shard.
  record OfShard(String type, int shard, ShardMessage message) implements Packet {}

  /// The reply to a request.
  record Answer(long ask, byte[] content) implements Packet {}

  /// A request has failed.
  record AskFailed(long ask, FailureText failure) implements Packet {}

  /// The reply to a request is not wanted any more.
  record GiveUp(long ask) implements Packet {}

  /// Besides the content of a message: type, names, key, numbers.
  static final int HEADER_BYTES = 8 * 1024;

  /// The newest version of what is said about shards: see [#since].
  static final int VERSION = 1;

  /// What stands before the content of an [Answer].
  static final int ANSWER_BYTES = 1 + Long.BYTES;

  private static final int TEXT = 8 * 1024; // characters of a cause

  private ShardMessageCodec() {}

  /// The version that has brought a packet: a node that knows an earlier one would ignore it, and a
  /// request would wait in vain. All packets are of the first one.
  private static int since(Packet packet) {
    return switch (packet) {
      case OfShard _, Answer _, AskFailed _, GiveUp _ -> 1;
    };
  }

  /// A packet as bytes, for a node that knows a version.
  ///
  /// @param known the newest version that the other node knows
  /// @throws dev.heddle.process.NotSendableException when it does not know the packet, or as of
  ///   [#encode(Packet, MessageWriter)]
  static byte[] encode(Packet packet, MessageWriter writer, int known) {
    if (since(packet) > known) {
      throw new NotSendableException(
          ("the other node knows version %d of messages about shards, and this one is of version"
                  + " %d: upgrade that node")
              .formatted(known, since(packet)));
    }
    return encode(packet, writer);
  }

  /// A packet as bytes.
  ///
  /// @throws dev.heddle.process.NotSendableException when a message of another node cannot be
  ///   encoded here
  static byte[] encode(Packet packet, MessageWriter writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      switch (packet) {
        case OfShard(String type, int shard, ShardMessage message) -> {
          out.writeByte(1);
          out.writeUTF(type);
          out.writeInt(shard);
          write(out, message, writer);
        }
        case Answer(long ask, byte[] content) -> {
          out.writeByte(2);
          out.writeLong(ask);
          out.write(content);
        }
        case AskFailed(long ask, FailureText failure) -> {
          out.writeByte(3);
          out.writeLong(ask);
          out.writeUTF(failure.type());
          out.writeBoolean(failure.message() != null);
          out.writeUTF(failure.message() == null ? "" : failure.message());
          out.writeUTF(failure.trace());
        }
        case GiveUp(long ask) -> {
          out.writeByte(4);
          out.writeLong(ask);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // texts have at most 8 Ki characters
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, ShardMessage message, MessageWriter writer)
      throws IOException {
    switch (message) {
      case Deliver(long generation, EntityMessage it) -> write(out, 1, generation, it, writer);
      case Bounced(long generation, EntityMessage it) -> write(out, 2, generation, it, writer);
      case Forward(long next, EntityMessage it) -> write(out, 3, next, it, writer);
      case Failed(EntityMessage it, Failure why, String cause) -> {
        out.writeByte(4);
        out.writeUTF(why.name());
        out.writeBoolean(cause != null);
        out.writeUTF(cause == null ? "" : cause.substring(0, Math.min(cause.length(), TEXT)));
        writeHead(out, it);
      }
      case Flush(long generation, boolean isOver) -> {
        out.writeByte(5);
        out.writeLong(generation);
        out.writeBoolean(isOver);
      }
      case Flushed(long generation) -> {
        out.writeByte(6);
        out.writeLong(generation);
      }
      case EndOfHandoff(long next) -> {
        out.writeByte(7);
        out.writeLong(next);
      }
      case HandoffTaken(long next, boolean isInTime) -> {
        out.writeByte(8);
        out.writeLong(next);
        out.writeBoolean(isInTime);
      }
      case Taken(long generation, int count, long bytes) -> {
        out.writeByte(9);
        out.writeLong(generation);
        out.writeInt(count);
        out.writeLong(bytes);
      }
      case HandedOver(EntityMessage it, String to, long next) -> {
        out.writeByte(10);
        out.writeUTF(to);
        out.writeLong(next);
        writeHead(out, it);
      }
      case ReplyWanted(long ask) -> {
        out.writeByte(11);
        out.writeLong(ask);
      }
      case NotHere(long ask) -> {
        out.writeByte(12);
        out.writeLong(ask);
      }
    }
  }

  private static void write(
      DataOutputStream out, int kind, long generation, EntityMessage message, MessageWriter writer)
      throws IOException {
    Payload payload = Payload.of(message);
    byte[] content = payload.content();
    out.writeByte(kind);
    out.writeLong(generation);
    writeHead(out, message);
    out.write(content == null ? writer.encode(payload.value()) : content);
  }

  private static void writeHead(DataOutputStream out, EntityMessage message) throws IOException {
    out.writeUTF(message.origin());
    out.writeUTF(message.key());
    out.writeLong(message.ask());
  }

  /// Decodes the contents of messages.
  interface Contents {
    /// Decodes one.
    ///
    /// @param head its origin, key and request
    Payload decode(EntityMessage head, byte[] content) throws UndecodableMessageException;
  }

  /// The content of a message cannot be decoded.
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    final transient EntityMessage head;
    final transient OfShard failed; // to the node of its sender
    final transient @Nullable OfShard taken; // to the same; null when it counts no such message

    UnreadableException(OfShard of, EntityMessage head, Throwable cause) {
      super(cause);
      this.head = head;
      String why = cause.getMessage();
      this.failed = new OfShard(of.type(), of.shard(), new Failed(head, Failure.UNREADABLE, why));
      this.taken =
          of.message() instanceof Deliver(long generation, EntityMessage it)
              ? new OfShard(of.type(), of.shard(), new Taken(generation, 1, it.bytes()))
              : null;
    }
  }

  /// The packet of these bytes.
  ///
  /// @throws IllegalArgumentException when the bytes are malformed
  /// @throws UnreadableException when only the content of a message is
  static Packet decode(byte[] bytes, Contents contents) throws UnreadableException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      int kind = in.readUnsignedByte();
      return switch (kind) {
        case 1 -> readOfShard(in, contents);
        case 2 -> new Answer(in.readLong(), in.readAllBytes());
        case 3 -> {
          long ask = in.readLong();
          String type = in.readUTF();
          boolean hasMessage = in.readBoolean();
          String message = in.readUTF();
          yield new AskFailed(
              ask, new FailureText(type, hasMessage ? message : null, in.readUTF()));
        }
        case 4 -> new GiveUp(in.readLong());
        default -> throw new IOException("no packet has the number " + kind);
      };
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "malformed bytes about shards, %d of them".formatted(bytes.length), e);
    }
  }

  private static OfShard readOfShard(DataInputStream in, Contents contents)
      throws IOException, UnreadableException {
    String type = in.readUTF();
    int shard = in.readInt();
    int kind = in.readUnsignedByte();
    if (kind > 3) {
      return new OfShard(type, shard, readMessage(kind, in));
    }
    long generation = in.readLong();
    EntityMessage head = readHead(in);
    byte[] content = in.readAllBytes();
    try {
      return read(type, shard, kind, generation, withPayload(head, content, contents));
    } catch (UndecodableMessageException | NotSendableException e) {
      EntityMessage unread = withPayload(head, content, Payload.NONE);
      throw new UnreadableException(read(type, shard, kind, generation, unread), head, e);
    }
  }

  private static OfShard read(
      String type, int shard, int kind, long generation, EntityMessage message) {
    return new OfShard(
        type,
        shard,
        switch (kind) {
          case 1 -> new Deliver(generation, message);
          case 2 -> new Bounced(generation, message);
          default -> new Forward(generation, message);
        });
  }

  private static ShardMessage readMessage(int kind, DataInputStream in) throws IOException {
    return switch (kind) {
      case 4 -> {
        Failure why = Failure.valueOf(in.readUTF());
        boolean hasCause = in.readBoolean();
        String cause = in.readUTF();
        yield new Failed(readHead(in), why, hasCause ? cause : null);
      }
      case 5 -> new Flush(in.readLong(), in.readBoolean());
      case 6 -> new Flushed(in.readLong());
      case 7 -> new EndOfHandoff(in.readLong());
      case 8 -> new HandoffTaken(in.readLong(), in.readBoolean());
      case 9 -> new Taken(in.readLong(), in.readInt(), in.readLong());
      case 10 -> {
        String to = in.readUTF();
        long next = in.readLong();
        yield new HandedOver(readHead(in), to, next);
      }
      case 11 -> new ReplyWanted(in.readLong());
      case 12 -> new NotHere(in.readLong());
      default -> throw new IOException("no message has the number " + kind);
    };
  }

  private static EntityMessage readHead(DataInputStream in) throws IOException {
    return new EntityMessage(in.readUTF(), in.readUTF(), in.readLong(), Payload.NONE, 0);
  }

  private static EntityMessage withPayload(EntityMessage head, byte[] content, Contents contents)
      throws UndecodableMessageException {
    return withPayload(head, content, contents.decode(head, content));
  }

  private static EntityMessage withPayload(EntityMessage head, byte[] content, Payload payload) {
    int bytes = sizeOf(head.key(), content.length);
    return new EntityMessage(head.origin(), head.key(), head.ask(), payload, bytes);
  }

  /// What a message takes while it waits, about.
  static int sizeOf(String key, int content) {
    return content + 2 * key.length() + 64; // objects around it
  }
}
