// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// A value cannot be encoded. Collects the path to the value on its way out.
final class Unsendable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient StringBuilder path = new StringBuilder();
  private final String what;

  Unsendable(String what) {
    super(what, null, false, false);
    this.what = what;
  }

  Unsendable(String what, Throwable cause) {
    super(what, cause, false, false);
    this.what = what;
  }

  /// Adds a step of the path, from the outside.
  Unsendable within(String step) {
    path.insert(0, step);
    return this;
  }

  /// @param type of the message, where the path begins
  String describe(String type) {
    return type + path + " " + what;
  }
}
