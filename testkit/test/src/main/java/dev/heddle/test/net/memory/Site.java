// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

/// A host, as the ends of its connections know it.
interface Site {
  String name();

  /// Whether it answers.
  boolean isUp();

  /// The link to another one, in this direction.
  MemoryLink linkTo(Site other);
}
