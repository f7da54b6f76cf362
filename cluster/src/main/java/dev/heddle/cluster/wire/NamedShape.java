// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.util.List;

/// A type that is announced to other nodes by its name.
abstract class NamedShape extends Shape {
  private final int index;

  /// @param index among all types that are announced
  NamedShape(String name, int index) {
    super(name);
    this.index = index;
  }

  final int index() {
    return index;
  }

  /// The type as it is announced: its name and what it consists of.
  abstract String signature();

  /// How to read values of a sender.
  ///
  /// @param parts of the sender's signature
  abstract SenderTypes.Plan plan(List<String> parts);
}
