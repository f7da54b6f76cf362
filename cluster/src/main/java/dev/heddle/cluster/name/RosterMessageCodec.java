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
///
/// What is of the log has the newest format that both nodes know. A command or an outcome of
/// another format fails only its own request.
final class RosterMessageCodec {
  private static final int MOST_CHARS = 8_000; // of a failure; of at most 64 KiB

  private final RosterCodec codec;

  RosterMessageCodec(RosterCodec codec) {
    this.codec = codec;
  }

  /// @param format of the log that the receiver knows
  byte[] encode(RosterMessage message, int format) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      write(new DataOutputStream(bytes), message, format);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a text of more than 64 KiB
    }
    return bytes.toByteArray();
  }

  private void write(DataOutputStream out, RosterMessage message, int format) throws IOException {
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
        out.write(codec.encode(delta.command(), format));
      }
      case RosterMessage.Submit(long id, var command) -> {
        head(out, 4, id);
        out.write(codec.encodeEntry(command, format));
      }
      case RosterMessage.Unreadable it -> throw new IllegalArgumentException("nobody says " + it);
      case RosterMessage.Answered(long id, var outcome) -> {
        head(out, 5, id);
        out.write(codec.encode(outcome, format));
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
  RosterMessage decode(byte[] bytes) {
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

  private RosterMessage read(DataInputStream in) throws IOException {
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
            number, new Delta(previous, index, codec.decodeCommand(in.readAllBytes())));
      }
      case 4 -> submit(number, in.readAllBytes());
      case 5 -> answered(number, in.readAllBytes());
      case 6 -> new RosterMessage.Barrier(number);
      case 7 -> new RosterMessage.Passed(number, in.readLong());
      case 8 -> new RosterMessage.Failed(number, in.readUTF());
      case 9 -> new RosterMessage.NoVoter(in.readUTF());
      default -> throw new IOException("no message has the kind " + kind);
    };
  }

  private RosterMessage submit(long id, byte[] command) {
    try {
      return new RosterMessage.Submit(id, codec.decodeCommand(command));
    } catch (IllegalArgumentException e) {
      return new RosterMessage.Unreadable(id, String.valueOf(e.getMessage()));
    }
  }

  private RosterMessage answered(long id, byte[] outcome) {
    try {
      return new RosterMessage.Answered(id, codec.decodeOutcome(outcome));
    } catch (IllegalArgumentException e) {
      return new RosterMessage.Failed(id, String.valueOf(e.getMessage()));
    }
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MOST_CHARS));
  }
}
