// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import org.jspecify.annotations.Nullable;

/// How the values of one type are written and read. Immutable once the types are registered.
abstract class Shape {
  private final String text;

  /// @param text of the type, as signatures and schemas have it
  Shape(String text) {
    this.text = text;
  }

  /// The type, as signatures and schemas have it: two shapes of the same text read each other's
  /// bytes.
  final String text() {
    return text;
  }

  /// Writes one value.
  ///
  /// @throws Unsendable when it cannot be encoded
  abstract void write(MessageOutput out, Object value);

  /// Reads the next value, which is not null.
  ///
  /// @throws Undecodable when it is not one of this type
  abstract Object read(MessageInput in);

  /// Whether a value may be null.
  boolean isNullable() {
    return true;
  }

  /// The value of a component that the sender's record does not have.
  @Nullable Object absent(MessageInput in) {
    return null;
  }

  /// Whether a value is written. That of a [dev.heddle.process.Reply] is not: it is another object
  /// at each node.
  boolean isWritten() {
    return true;
  }
}
