// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.name.RosterMessage.Part;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Messages about the roster as bytes: an octet for the kind, then its values.
final class RosterMessageCodec {
  private static final int MOST_CHARS = 8_000; // of a failure; of at most 64 KiB

  private RosterMessageCodec() {}

  static byte[] encode(RosterMessage message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      write(new DataOutputStream(bytes), message);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a text of more than 64 KiB
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, RosterMessage message) throws IOException {
    switch (message) {
      case RosterMessage.Subscribe(long number) -> head(out, 1, number);
      case RosterMessage.State(long number, Part part, byte[] content) -> {
        head(out, 2, number);
        out.writeBoolean(part == Part.LAST);
        out.write(content);
      }
      case RosterMessage.Applied(long number, Delta delta) -> {
        head(out, 3, number);
        out.writeLong(delta.previous());
        out.writeLong(delta.index());
        out.write(RosterCodec.encode(delta.command()));
      }
      case RosterMessage.Submit(long id, var command) -> {
        head(out, 4, id);
        out.write(RosterCodec.encode(command));
      }
      case RosterMessage.Answered(long id, var outcome) -> {
        head(out, 5, id);
        out.write(RosterCodec.encode(outcome));
      }
      case RosterMessage.Barrier(long id) -> head(out, 6, id);
      case RosterMessage.Passed(long id, long index) -> {
        head(out, 7, id);
        out.writeLong(index);
      }
      case RosterMessage.Failed(long id, String why) -> {
        head(out, 8, id);
        out.writeUTF(cut(why));
      }
      case RosterMessage.NoVoter(String why) -> {
        head(out, 9, 0);
        out.writeUTF(cut(why));
      }
    }
  }

  private static void head(DataOutputStream out, int kind, long number) throws IOException {
    out.writeByte(kind);
    out.writeLong(number);
  }

  /// The message of these bytes.
  ///
  /// @throws IllegalArgumentException when the bytes are no such message
  static RosterMessage decode(byte[] bytes) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      RosterMessage message = read(in);
      if (in.available() > 0) {
        throw new IllegalArgumentException(in.available() + " bytes are left of " + bytes.length);
      }
      return message;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "malformed message about the roster, %d bytes".formatted(bytes.length), e);
    }
  }

  private static RosterMessage read(DataInputStream in) throws IOException {
    int kind = in.readUnsignedByte();
    long number = in.readLong();
    return switch (kind) {
      case 1 -> new RosterMessage.Subscribe(number);
      case 2 ->
          new RosterMessage.State(
              number, in.readBoolean() ? Part.LAST : Part.MORE, in.readAllBytes());
      case 3 -> {
        long previous = in.readLong();
        long index = in.readLong();
        yield new RosterMessage.Applied(
            number, new Delta(previous, index, RosterCodec.decodeCommand(in.readAllBytes())));
      }
      case 4 -> new RosterMessage.Submit(number, RosterCodec.decodeCommand(in.readAllBytes()));
      case 5 -> new RosterMessage.Answered(number, RosterCodec.decodeOutcome(in.readAllBytes()));
      case 6 -> new RosterMessage.Barrier(number);
      case 7 -> new RosterMessage.Passed(number, in.readLong());
      case 8 -> new RosterMessage.Failed(number, in.readUTF());
      case 9 -> new RosterMessage.NoVoter(in.readUTF());
      default -> throw new IOException("no message has the kind " + kind);
    };
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MOST_CHARS));
  }
}
