// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

/// What a name of a directory leads to.
sealed interface Node permits FileNode, DirectoryNode {
  /// The host has lost its power: what is not on the disk is gone.
  void crash();

  /// No name leads to it any more.
  void deleted();

  /// A crash has brought its name back.
  void restored();
}
