// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import java.util.Map;
import java.util.TreeMap;

/// The names in a directory: as programs see them, and as they are on the disk.
final class DirectoryNode implements Node {
  private final Map<String, Node> names = new TreeMap<>();
  private final Map<String, Node> onDisk = new TreeMap<>();

  /// In the order of the names: the order of a real directory is not to be relied upon.
  Map<String, Node> names() {
    return names;
  }

  Map<String, Node> onDisk() {
    return onDisk;
  }

  @Override
  public void crash() {
    names.clear();
    names.putAll(onDisk);
  }

  @Override
  public void deleted() {}

  @Override
  public void restored() {}
}
