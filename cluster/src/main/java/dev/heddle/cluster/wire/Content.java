// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.util.Arrays;

/// A message as bytes, which belong to somebody else until it is copied: of one that leaves, to the
/// writer or to the program; of one that came, to its packet. See [MessageTypes] for what they
/// mean.
public final class Content {
  private static final int NONE = -1;

  private final int type; // the number of its type, which stands before the bytes, or NONE
  private final byte[] bytes;
  private final int start;
  private final int end;

  private Content(int type, byte[] bytes, int start, int end) {
    this.type = type;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /// A whole content.
  public static Content of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  /// A whole content that is a part of an array, which must not change.
  public static Content of(byte[] bytes, int start, int end) {
    return new Content(NONE, bytes, start, end);
  }

  /// A content whose bytes do not begin with the number of its type.
  static Content of(int type, byte[] bytes) {
    return new Content(type, bytes, 0, bytes.length);
  }

  /// How many bytes it has.
  public int length() {
    return end - start + (type == NONE ? 0 : WireOutput.varintLength(type));
  }

  /// Writes what stands before the bytes.
  void writeHead(WireOutput out) {
    if (type != NONE) {
      out.varint(type);
    }
  }

  /// The same, into an array that has space for it.
  ///
  /// @return where the bytes go
  int putHead(byte[] target, int at) {
    return type == NONE ? at : WireOutput.putVarint(target, at, type);
  }

  /// Of one that begins with the number of its type.
  WireInput input() {
    return new WireInput(bytes, start, end);
  }

  /// How many bytes are in its array.
  public int size() {
    return end - start;
  }

  /// Copies the bytes of its array.
  public void copyTo(byte[] target, int at) {
    System.arraycopy(bytes, start, target, at, end - start);
  }

  /// The same, for one that is kept.
  public Content copy() {
    return of(toBytes());
  }

  /// All its bytes, in an array of their own.
  public byte[] toBytes() {
    if (type == NONE) {
      return Arrays.copyOfRange(bytes, start, end);
    }
    WireOutput out = new WireOutput();
    writeHead(out);
    return out.append(bytes, start, end - start).body();
  }
}
