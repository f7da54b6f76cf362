// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import dev.heddle.test.file.memory.Disk.Entry;
import dev.heddle.test.file.memory.FileTree.Place;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/// An open file of a simulated file system, as a channel of the JDK.
final class SimulatedChannel extends FileChannel {
  private static final int CHUNK = 8 << 10; // bytes, of a transfer

  private final FileTree tree;
  private final SimulatedPath path;
  private final Node node;
  private final boolean readable;
  private final boolean writable;
  private final boolean appends;
  private final boolean deletes;
  private final int openedAfter; // crashes
  private long position;

  private SimulatedChannel(
      FileTree tree, SimulatedPath path, Node node, Set<? extends OpenOption> options) {
    this.tree = tree;
    this.path = path;
    this.node = node;
    this.appends = options.contains(StandardOpenOption.APPEND);
    this.writable = appends || options.contains(StandardOpenOption.WRITE);
    this.readable = !writable || options.contains(StandardOpenOption.READ);
    this.deletes = options.contains(StandardOpenOption.DELETE_ON_CLOSE);
    this.openedAfter = tree.disk().crashes();
  }

  // ---- opening ----

  static SimulatedChannel open(FileTree tree, SimulatedPath path, Set<? extends OpenOption> options)
      throws IOException {
    if (tree.find(path) instanceof DirectoryNode directory) {
      return openDirectory(tree, path, directory, options);
    }
    boolean writes =
        options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND);
    Place place = tree.place(path);
    Node found = place.node();
    boolean creates = writes && options.contains(StandardOpenOption.CREATE);
    if (writes && options.contains(StandardOpenOption.CREATE_NEW)) {
      if (found != null) {
        throw new FileAlreadyExistsException(path.toString());
      }
      creates = true;
    }
    if (!(found instanceof FileNode file)) {
      if (!creates) {
        throw new NoSuchFileException(path.toString());
      }
      FileNode made = new FileNode(tree.disk());
      tree.disk().change(new Entry(place.directory(), place.name(), made));
      return new SimulatedChannel(tree, path, made, options);
    }
    if (writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      file.truncate(0);
    }
    return new SimulatedChannel(tree, path, file, options);
  }

  // to sync it, as on Linux
  private static SimulatedChannel openDirectory(
      FileTree tree, SimulatedPath path, DirectoryNode directory, Set<? extends OpenOption> options)
      throws IOException {
    if (options.contains(StandardOpenOption.CREATE_NEW)) {
      throw new FileAlreadyExistsException(path.toString());
    }
    if (options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND)) {
      throw new FileSystemException(path.toString(), null, "Is a directory");
    }
    return new SimulatedChannel(tree, path, directory, options);
  }

  private FileNode file() throws IOException {
    requireOpen();
    if (node instanceof FileNode file) {
      return file;
    }
    throw new FileSystemException(path.toString(), null, "Is a directory");
  }

  private void requireOpen() throws IOException {
    if (!isOpen() || openedAfter != tree.disk().crashes()) {
      throw new ClosedChannelException();
    }
  }

  private FileNode readableFile() throws IOException {
    FileNode file = file();
    if (!readable) {
      throw new NonReadableChannelException();
    }
    return file;
  }

  private FileNode writableFile() throws IOException {
    FileNode file = file();
    if (!writable) {
      throw new NonWritableChannelException();
    }
    return file;
  }

  private static long checked(long position) {
    if (position < 0) {
      throw new IllegalArgumentException("Negative position");
    }
    return position;
  }

  // ---- reading ----

  @Override
  public int read(ByteBuffer into) throws IOException {
    int n = read(into, position);
    position += Math.max(n, 0);
    return n;
  }

  @Override
  public int read(ByteBuffer into, long at) throws IOException {
    FileNode file = readableFile();
    if (!into.hasRemaining()) {
      return 0;
    }
    int n = file.read(into, checked(at));
    return n == 0 ? -1 : n;
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      int n = read(into[i]);
      if (n < 0) {
        return sum == 0 ? -1 : sum;
      }
      sum += n;
    }
    return sum;
  }

  // ---- writing ----

  @Override
  public int write(ByteBuffer from) throws IOException {
    FileNode file = writableFile();
    if (appends) {
      position = file.size();
    }
    int n = write(from, position);
    position += n;
    return n;
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    FileNode file = writableFile();
    return from.hasRemaining() ? file.write(from, appends ? file.size() : checked(at)) : 0;
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      sum += write(from[i]);
      if (from[i].hasRemaining()) {
        break; // a short write
      }
    }
    return sum;
  }

  // ---- the file as a whole ----

  @Override
  public long position() throws IOException {
    requireOpen();
    return appends ? file().size() : position;
  }

  @Override
  public FileChannel position(long newPosition) throws IOException {
    requireOpen();
    position = checked(newPosition);
    return this;
  }

  @Override
  public long size() throws IOException {
    return file().size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    if (size < 0) {
      throw new IllegalArgumentException("Negative size");
    }
    writableFile().truncate(size);
    position = Math.min(position, size);
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    requireOpen();
    switch (node) {
      case FileNode file -> file.sync();
      case DirectoryNode _ -> tree.disk().syncDirectories();
    }
  }

  // ---- transfers ----

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
    readableFile();
    long sum = 0;
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, CHUNK));
    while (sum < count) {
      buffer.clear().limit((int) Math.min(count - sum, buffer.capacity()));
      if (read(buffer, from + sum) < 0) {
        break;
      }
      int taken = target.write(buffer.flip());
      sum += taken;
      if (buffer.hasRemaining()) {
        break;
      }
    }
    return sum;
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
    writableFile();
    long sum = 0;
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, CHUNK));
    while (sum < count) {
      buffer.clear().limit((int) Math.min(count - sum, buffer.capacity()));
      if (source.read(buffer) <= 0) {
        break;
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        sum += write(buffer, at + sum);
      }
    }
    return sum;
  }

  // ---- what is not simulated ----

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long size) {
    throw new UnsupportedOperationException("a simulated file is not mapped into memory");
  }

  @Override
  public FileLock lock(long from, long size, boolean shared) {
    throw noLocks();
  }

  @Override
  public FileLock tryLock(long from, long size, boolean shared) {
    throw noLocks();
  }

  private UnsupportedOperationException noLocks() {
    return new UnsupportedOperationException(
        "a simulated host has one process, against which " + path + " need not be locked");
  }

  @Override
  protected void implCloseChannel() throws IOException {
    if (deletes && tree.find(path) == node) {
      tree.delete(path);
    }
  }
}
