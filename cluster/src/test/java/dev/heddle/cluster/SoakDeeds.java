// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// What a node does with messages to entities, and what happens to it, in a file of its own: each
/// deed is written when it is done, so it outlives a node that is killed.
final class SoakDeeds {
  private static final int BYTES = 40; // of a deed
  private static final String FOLDER = "deeds";

  /// What was done.
  enum Kind {
    /// an entity has got a message
    GOT,
    /// a message was accepted
    SENT,
    /// a request had a reply
    REPLIED,
    /// no entity has got a request, nor will, as its caller was told
    REFUSED,
    /// a caller does not know whether its request was delivered
    UNKNOWN,
    /// this node was told that messages of it have failed: `number` of them by then
    FAILED,
    /// a session with the node `from` has ended
    SESSION_ENDED,
    /// the node has lost its lease
    LEASE_LOST
  }

  /// One of them.
  ///
  /// @param at the node that has written it
  /// @param nanos of the monotonic clock, which all JVMs of a machine share
  /// @param token of the ownership of the shard by which an entity has got it
  /// @param from the node that has sent the message
  /// @param life of that node
  /// @param number of the message: of one life and key they grow
  /// @param entity which one of its node has got it
  record Deed(
      String at,
      Kind kind,
      long nanos,
      long token,
      String from,
      int life,
      int key,
      int number,
      int entity) {}

  private final String node;
  private final FileChannel file;

  /// @param folder that all nodes share
  SoakDeeds(Path folder, String node) throws IOException {
    this.node = node;
    Path own = Files.createDirectories(folder.resolve(FOLDER));
    file =
        FileChannel.open(
            own.resolve(node + "-" + ProcessHandle.current().pid()),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
  }

  String node() {
    return node;
  }

  /// Something happened to this node, or between it and another.
  void happened(Kind kind, String other) {
    write(new Deed(node, kind, System.nanoTime(), 0, other, 0, 0, 0, 0));
  }

  void write(Deed deed) {
    ByteBuffer record = ByteBuffer.allocate(BYTES);
    record.putLong(deed.nanos).putLong(deed.token).putInt(deed.kind.ordinal());
    record.putInt(Integer.parseInt(deed.from.substring(1))).putInt(deed.life).putInt(deed.key);
    record.putInt(deed.number).putInt(deed.entity);
    try {
      int _ = file.write(record.flip()); // all of it: it is appended at once
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// All that was written into a folder, in the order of time.
  static List<Deed> read(Path folder) throws IOException {
    List<Deed> all = new ArrayList<>();
    Path own = folder.resolve(FOLDER);
    if (!Files.isDirectory(own)) {
      return all;
    }
    try (Stream<Path> files = Files.list(own)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        read(name.substring(0, name.indexOf('-')), Files.readAllBytes(file), all);
      }
    }
    all.sort(Comparator.comparingLong(Deed::nanos));
    return all;
  }

  private static void read(String node, byte[] content, List<Deed> into) {
    ByteBuffer in = ByteBuffer.wrap(content);
    while (in.remaining() >= BYTES) { // the last one may have been cut by a kill
      long nanos = in.getLong();
      long token = in.getLong();
      Kind kind = Kind.values()[in.getInt()];
      String from = "n" + in.getInt();
      into.add(
          new Deed(
              node, kind, nanos, token, from, in.getInt(), in.getInt(), in.getInt(), in.getInt()));
    }
  }
}
