// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// Bytes of the objects of one class, in place of the built-in form: for classes that are no
/// records, such as those that Protobuf generates.
///
/// **Thread** any, several at a time: `encode` on the thread that sends, `decode` on one that
/// receives, which must not wait.
///
/// {@snippet class=dev.heddle.cluster.WireSnippetsTest region=codec}
///
/// @param <T> the class
/// @since 0.1
public interface MessageCodec<T> {
  /// The class. Objects of its subclasses are not messages of this codec.
  Class<T> type();

  /// The name of the type between nodes, as in [Wire]. It names the form of the bytes, too: give a
  /// form that older nodes cannot read another name.
  String name();

  /// The bytes of an object. An exception refuses the message: its sender gets a
  /// [dev.heddle.process.NotSendableException].
  byte[] encode(T value);

  /// The object. The bytes may be anything. An exception refuses the message.
  T decode(byte[] bytes);
}
