// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The disk of a host: its room, and the changes of directories that are not on it yet.
///
/// **Thread** that of the loop whose turn it is, and its workers.
final class Disk {
  /*
   * Changes of directories go to the disk in the order in which they were made, as with a journal:
   * the sync of any directory writes all of them. Nothing else does: a new file that was synced may
   * lose its name in a crash until its directory is synced, which is all that POSIX promises.
   *
   * A crash leaves the changes up to one that chance decides. A rename is one change.
   */
  private final FileChance chance;
  private final DirectoryNode root = new DirectoryNode();
  private final List<Change> journal = new ArrayList<>();
  private long free = Long.MAX_VALUE; // bytes
  private int crashes;

  /// A name that leads elsewhere now; null: nowhere.
  record Entry(DirectoryNode directory, String name, @Nullable Node node) {}

  private record Change(List<Entry> entries) {}

  Disk(FileChance chance) {
    this.chance = chance;
  }

  FileChance chance() {
    return chance;
  }

  DirectoryNode root() {
    return root;
  }

  /// The number of crashes so far: what was opened before one is not open any more.
  int crashes() {
    return crashes;
  }

  // ---- room ----

  void setFree(long bytes) {
    free = bytes;
  }

  long free() {
    return free;
  }

  /// Takes room.
  ///
  /// @return how many bytes; fewer than asked for when the disk is full
  int take(int bytes) {
    int taken = (int) Math.clamp(free, 0L, bytes);
    give(-taken);
    return taken;
  }

  void give(int bytes) {
    if (free != Long.MAX_VALUE) {
      free += bytes;
    }
  }

  // ---- directories ----

  /// Makes a change of one or several names, as a whole.
  void change(Entry... entries) {
    for (Entry entry : entries) {
      set(entry.directory().names(), entry);
    }
    journal.add(new Change(List.of(entries)));
  }

  private static void set(Map<String, Node> names, Entry entry) {
    if (entry.node() == null) {
      names.remove(entry.name());
    } else {
      names.put(entry.name(), entry.node());
    }
  }

  /// What there is at the beginning is on the disk.
  void begin() {
    write(journal.size());
  }

  void syncDirectories() throws IOException {
    if (chance.failsToSync()) {
      throw new IOException("Input/output error");
    }
    write(journal.size());
  }

  private void write(int changes) {
    for (Change change : journal.subList(0, changes)) {
      change.entries().forEach(entry -> set(entry.directory().onDisk(), entry));
    }
    journal.subList(0, changes).clear();
  }

  /// The host has lost its power.
  void crash() {
    crashes++;
    Set<Node> before = nodes();
    int left = 0;
    while (left < journal.size() && chance.survives()) {
      left++;
    }
    write(left);
    journal.clear();
    Set<Node> known = Collections.newSetFromMap(new IdentityHashMap<>());
    crash(root, known);
    for (Node node : before) {
      if (!known.contains(node)) {
        node.deleted();
      }
    }
  }

  private Set<Node> nodes() {
    Set<Node> all = Collections.newSetFromMap(new IdentityHashMap<>());
    collect(root, all);
    return all;
  }

  private static void collect(DirectoryNode directory, Set<Node> all) {
    for (Node node : directory.names().values()) {
      all.add(node);
      if (node instanceof DirectoryNode below) {
        collect(below, all);
      }
    }
  }

  private void crash(DirectoryNode directory, Set<Node> known) {
    directory.crash();
    for (Node node : directory.names().values()) {
      known.add(node);
      node.restored();
      if (node instanceof DirectoryNode below) {
        crash(below, known);
      } else {
        node.crash();
      }
    }
  }
}
