// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Pid;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The messages and requests that wait behind one mailbox, in their order. One thread at a time.
final class HeldFrames {
  /*
   * As objects, a message of two bytes takes 118: a frame, its content, an array and a PID
   * (measured). On the wire it takes 8. So what is on its way when the other node is told to wait,
   * 2 MiB, would be 30 MiB here. Hence they are kept as bytes, one behind the other, in arrays:
   *
   *   head      varint: the length of the content and one, twice; one more for a request
   *   id        8 bytes, of a request only
   *   content
   *
   * No head is 0. So the rest of an array that had no space for the next frame is known by its 0.
   *
   * An array has an eighth of what is here already, between 64 bytes and 16 KiB, and a frame above
   * an eighth of that has an array of its own. So few bytes are unused, also when many mailboxes
   * need another array at the same time: arrays of twice the last one's size took 16 MiB at once
   * for a thousand mailboxes.
   *
   * I1. What was added comes out, in its order. [HeldFramesTest]
   * I2. memory() is what the arrays take: an array counts until all of it was taken out.
   *     [HeldFramesTest, StalledReceiverTest]
   * I3. peek() copies the content of a request once, until it is removed or forgotten: a request of
   *     1 MiB is looked at again and again while its mailbox has no space. [HeldFramesTest]
   */
  static final int LEAST_BYTES = 64; // of an array
  static final int MOST_BYTES = 16 * 1024; // of one with several frames

  /// Of an array, besides its bytes: its header, and its place in a deque that has grown.
  static final int ARRAY_COST = 24;

  private static final int PART = 8; // of what is here, and of an array
  private static final int MORE = 0x80; // in all but the last byte of a varint

  private final Pid to;
  private final Deque<byte[]> arrays = new ArrayDeque<>(2);
  private int size; // frames
  private int readAt; // in the first array
  private int writeAt; // in the last one
  private long memory;
  private @Nullable Frame peeked; // the first one, while it is looked at

  HeldFrames(Pid to) {
    this.to = to;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /// How many there are.
  int size() {
    return size;
  }

  /// How many bytes of memory they take, without this object.
  long memory() {
    return memory;
  }

  /// Adds a message or a request to the process of this mailbox. It is copied: else it would keep
  /// its packet.
  void add(Frame frame) {
    switch (frame) {
      case Frame.Message(_, var content) -> add(content, false, 0);
      case Frame.Ask(long id, _, var content) -> add(Content.of(content), true, id);
      default -> throw new IllegalArgumentException("neither a message nor a request: " + frame);
    }
    size++;
  }

  private void add(Content given, boolean isAsk, long id) {
    Content content = given.size() == given.length() ? given : given.copy();
    int head = (content.size() + 1) << 1 | (isAsk ? 1 : 0);
    byte[] array = space(lengthOf(head) + (isAsk ? Long.BYTES : 0) + content.size());
    for (int rest = head; ; rest >>>= 7) {
      boolean isLast = rest < MORE;
      array[writeAt++] = (byte) (isLast ? rest : rest | MORE);
      if (isLast) {
        break;
      }
    }
    if (isAsk) {
      ByteBuffer.wrap(array).putLong(writeAt, id);
      writeAt += Long.BYTES;
    }
    content.copyTo(array, writeAt);
    writeAt += content.size();
  }

  private static int lengthOf(int head) {
    return 1 + (31 - Integer.numberOfLeadingZeros(head)) / 7;
  }

  /// The array with space for so many bytes: the last one, or a new one.
  private byte[] space(int bytes) {
    byte[] last = arrays.peekLast();
    if (last != null && last.length - writeAt >= bytes) {
      return last;
    }
    int usual = Math.clamp(memory / PART, LEAST_BYTES, MOST_BYTES);
    byte[] next = new byte[bytes > usual / PART ? bytes : usual];
    memory += ARRAY_COST + next.length;
    arrays.add(next);
    writeAt = 0;
    return next;
  }

  /// The first one; null when there is none. It is valid until it is removed.
  @Nullable Frame peek() {
    if (peeked == null && size > 0) {
      peeked = first();
    }
    return peeked;
  }

  /// Keeps no copy of what was looked at: it does not count.
  void forgetPeeked() {
    peeked = null;
  }

  private Frame first() {
    byte[] array = arrays.getFirst();
    int head = head(array);
    int at = readAt + lengthOf(head);
    int length = (head >>> 1) - 1;
    if ((head & 1) == 0) {
      return new Frame.Message(to, Content.of(array, at, at + length));
    }
    int start = at + Long.BYTES;
    byte[] content = Arrays.copyOfRange(array, start, start + length);
    return new Frame.Ask(ByteBuffer.wrap(array).getLong(at), to, content);
  }

  private int head(byte[] array) {
    int head = 0;
    int at = readAt;
    for (int shift = 0; ; shift += 7) {
      byte next = array[at++];
      head |= (next & (MORE - 1)) << shift;
      if (next >= 0) {
        return head;
      }
    }
  }

  /// Removes the first one, which there is.
  void remove() {
    byte[] array = arrays.getFirst();
    int head = head(array);
    readAt += lengthOf(head) + ((head & 1) == 0 ? 0 : Long.BYTES) + (head >>> 1) - 1;
    size--;
    peeked = null;
    if (size == 0) {
      arrays.clear();
      readAt = 0;
      memory = 0;
    } else if (readAt == array.length || array[readAt] == 0) {
      arrays.removeFirst();
      readAt = 0;
      memory -= ARRAY_COST + array.length;
    }
  }
}
