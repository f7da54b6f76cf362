// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/// The content of a file: as programs see it, and as it is on the disk.
final class FileNode implements Node {
  /*
   * Content is written to memory and is dirty there, in pages of 4 KiB; a sync writes the dirty
   * pages and the size to the disk. A crash leaves what is on the disk. Each dirty page may have
   * been written to the disk before, by chance, and so may the size: the system writes them in any
   * order.
   *
   * A sync that fails leaves the pages clean and the disk as it was, as Linux does: a second sync
   * succeeds and writes nothing.
   *
   * Growing takes room on the disk at once, shrinking returns it. What was deleted returns it when
   * it is deleted, even if it is still open: a simplification.
   */
  private static final int PAGE = 4_096; // bytes
  private static final int MAX_BYTES = 1 << 30; // it is an array

  private final Disk disk;
  private byte[] content = {};
  private int size;
  private byte[] onDisk = {};
  private int sizeOnDisk;
  private final BitSet dirty = new BitSet(); // pages
  private boolean sizeDirty;
  private boolean deleted;

  FileNode(Disk disk) {
    this.disk = disk;
  }

  int size() {
    return size;
  }

  /// Reads bytes.
  ///
  /// @return how many; 0 at the end
  int read(ByteBuffer into, long position) throws IOException {
    disk.chance().mayFailToRead();
    int n = (int) Math.clamp(size - position, 0L, into.remaining());
    if (n > 0) {
      into.put(content, (int) position, n);
    }
    return n;
  }

  /// Writes bytes, perhaps not all.
  ///
  /// @return how many; at least one, if there is one
  int write(ByteBuffer from, long position) throws IOException {
    disk.chance().mayFailToWrite();
    if (position + from.remaining() > MAX_BYTES) {
      throw new IOException("File too large");
    }
    int at = (int) position;
    int n = disk.chance().written(from.remaining());
    int growth = Math.max(0, at + n - size);
    int room = disk.take(growth);
    if (room < growth) {
      n -= growth - room;
      if (n <= 0) {
        disk.give(room);
        throw new IOException("No space left on device");
      }
    }
    resize(Math.max(size, at + n));
    from.get(content, at, n);
    touch(at, at + n);
    return n;
  }

  void truncate(long to) {
    if (to < size) {
      disk.give(size - (int) to);
      Arrays.fill(content, (int) to, size, (byte) 0);
      touch((int) to, size);
      size = (int) to;
      sizeDirty = true;
    }
  }

  private void resize(int to) {
    if (to > content.length) {
      content = Arrays.copyOf(content, Math.max(to, 2 * content.length));
    }
    if (to != size) {
      touch(Math.min(size, to), Math.max(size, to));
      size = to;
      sizeDirty = true;
    }
  }

  private void touch(int from, int to) {
    if (to > from) {
      dirty.set(from / PAGE, (to - 1) / PAGE + 1);
    }
  }

  void sync() throws IOException {
    boolean fails = disk.chance().failsToSync();
    if (!fails) {
      dirty.stream().forEach(this::writePage);
      sizeOnDisk = size;
    }
    dirty.clear();
    sizeDirty = false;
    if (fails) {
      throw new IOException("Input/output error");
    }
  }

  private void writePage(int page) {
    int from = page * PAGE;
    int to = Math.min(from + PAGE, content.length);
    if (onDisk.length < to) {
      onDisk = Arrays.copyOf(onDisk, to);
    }
    if (to > from) {
      System.arraycopy(content, from, onDisk, from, to - from);
    }
  }

  @Override
  public void crash() {
    dirty.stream().filter(_ -> disk.chance().survives()).forEach(this::writePage);
    if (sizeDirty && disk.chance().survives()) {
      sizeOnDisk = size;
    }
    dirty.clear();
    sizeDirty = false;
    int before = size;
    size = sizeOnDisk;
    content = Arrays.copyOf(onDisk, Math.max(size, 0));
    if (!deleted) {
      disk.give(before - size);
    }
  }

  @Override
  public void deleted() {
    deleted = true;
    disk.give(size);
  }

  @Override
  public void restored() {
    if (deleted) {
      deleted = false;
      disk.give(-size);
    }
  }
}
