// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.DataInput;
import java.io.IOException;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.util.AsciiString;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.Digest;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.Util;

/// Reads messages of JGroups from bytes that anybody may have sent.
///
/// JGroups itself allocates whatever length it reads, loads classes by a name that it reads, and
/// deserializes Java objects. Here a length is at most what is left of the frame, and an object is
/// one of the three classes that the stack of [JGroupsEngine] sends.
final class ReceivedMessages {
  private static final int MOST_IN_BATCH = 100_000; // an empty message takes more than a byte

  private ReceivedMessages() {}

  static Message readMessage(ByteArrayDataInputStream in)
      throws IOException, ClassNotFoundException {
    Message message = create(in.readShort());
    message.readFrom(in);
    return message;
  }

  /// Reads what [Util#readMessageBatch] reads.
  ///
  /// @return the messages in order, and those that may overtake others
  static MessageBatch[] readBatch(ByteArrayDataInputStream in, boolean multicast)
      throws IOException, ClassNotFoundException {
    Address to = Util.readAddress(in);
    Address from = Util.readAddress(in);
    short length = in.readShort();
    AsciiString cluster = length < 0 ? null : new AsciiString(bytes(in, length));
    int count = in.readInt();
    if (count < 0 || count > Math.min(MOST_IN_BATCH, in.available())) {
      throw new IOException(count + " messages in " + in.available() + " bytes");
    }
    var batches = new MessageBatch[2];
    for (int i = 0; i < count; i++) {
      Message message = create(in.readShort()).setDest(to).setSrc(from);
      message.readFrom(in);
      int index = message.isFlagSet(Message.Flag.OOB) ? 1 : 0;
      if (batches[index] == null) {
        var mode = index == 1 ? MessageBatch.Mode.OOB : MessageBatch.Mode.REG;
        batches[index] = new MessageBatch(to, from, cluster, multicast, mode, count);
      }
      batches[index].add(message);
    }
    return batches;
  }

  private static Message create(short type) throws IOException {
    return switch (type) {
      case Message.BYTES_MSG -> new Bytes();
      case Message.EMPTY_MSG -> new EmptyMessage();
      case Message.OBJ_MSG -> new KnownObject();
      default -> throw new IOException("messages of type " + type + " are not accepted");
    };
  }

  private static byte[] bytes(DataInput in, int length) throws IOException {
    int left = ((ByteArrayDataInputStream) in).available();
    if (length > left) {
      throw new IOException("a length of " + length + " bytes where " + left + " are left");
    }
    byte[] content = new byte[length];
    in.readFully(content);
    return content;
  }

  private static final class Bytes extends BytesMessage {
    @Override
    public void readPayload(DataInput in) throws IOException {
      int length = in.readInt();
      var frame = (ByteArrayDataInputStream) in;
      if (length >= frame.limit() / 2 && length <= frame.available()) {
        setArray(frame.buffer(), frame.position(), length); // it keeps its frame in memory
        var _ = frame.skipBytes(length);
      } else if (length >= 0) {
        setArray(bytes(in, length), 0, length);
      }
    }
  }

  private static final class KnownObject extends ObjectMessage {
    @Override
    public void readPayload(DataInput in) throws IOException, ClassNotFoundException {
      var bytes = (ByteArrayDataInputStream) in;
      int start = bytes.position();
      if (bytes.readByte() != 0) {
        short number = bytes.readShort();
        if (number != ClassConfigurator.getMagicNumber(SeqnoList.class)
            && number != ClassConfigurator.getMagicNumber(Digest.class)
            && number != ClassConfigurator.getMagicNumber(MutableDigest.class)) {
          throw new IOException("objects of class number " + number + " are not accepted");
        }
      }
      bytes.position(start);
      super.readPayload(in);
    }
  }
}
