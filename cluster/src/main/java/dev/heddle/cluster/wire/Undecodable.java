// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;

/// A value cannot be decoded. Collects the path to the value on its way out.
final class Undecodable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient StringBuilder path = new StringBuilder();
  private final Why why;
  private final String what;

  Undecodable(Why why, String what) {
    super(what, null, false, false);
    this.why = why;
    this.what = what;
  }

  static Undecodable wrongShape(String what) {
    return new Undecodable(Why.WRONG_SHAPE, what);
  }

  /// Adds a step of the path, from the outside.
  Undecodable within(String step) {
    path.insert(0, step);
    return this;
  }

  /// @param type of the message, where the path begins
  UndecodableMessageException of(String type) {
    return new UndecodableMessageException(
        why, type, path.isEmpty() ? what : "at %s: %s".formatted(path, what));
  }
}
