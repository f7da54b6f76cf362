// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.test.file.FileFaults;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.file.memory.Disk.Entry;
import dev.heddle.test.time.Timeline;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.function.Consumer;

/// The files of a host, in memory.
///
/// **Thread** that of the loop whose turn it is, and its workers.
public final class MemoryFiles implements SimulatedFiles {
  private final FileChance chance;
  private final Disk disk;
  private final SimulatedFileSystem fileSystem;

  /// An empty file system, with the directory `/tmp`.
  ///
  /// @param host the name of the host, for messages
  /// @param seed of all chance in it
  public MemoryFiles(String host, long seed) {
    this.chance = new FileChance(seed);
    this.disk = new Disk(chance);
    this.fileSystem = new SimulatedFileSystem(new FileTree(disk), host);
    disk.change(new Entry(disk.root(), "tmp", new DirectoryNode()));
    disk.begin();
  }

  /// The driver of files for one loop.
  ///
  /// @param files those of its host
  /// @param timeline on which operations take their time
  /// @param completions takes what is to run in the loop's next poll
  public static FileDriver driver(
      SimulatedFiles files, Timeline timeline, Consumer<Runnable> completions) {
    MemoryFiles own = (MemoryFiles) files; // safe: there is no other implementation
    return new SimulatedFileDriver(own.fileSystem, own.disk, own.chance, timeline, completions);
  }

  @Override
  public Path path(String path) {
    return fileSystem.getPath(path);
  }

  @Override
  public FileSystem fileSystem() {
    return fileSystem;
  }

  @Override
  public void setFaults(FileFaults changed) {
    chance.setFaults(changed);
  }

  @Override
  public void setFree(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("room cannot be negative: " + bytes);
    }
    disk.setFree(bytes);
  }

  @Override
  public long free() {
    return disk.free();
  }

  @Override
  public void crash() {
    disk.crash();
  }
}
