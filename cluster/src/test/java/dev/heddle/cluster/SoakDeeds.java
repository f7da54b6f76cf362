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

/// What a node does with messages, and what happens to it, in a file of its own: each deed is
/// written when it is done, so it outlives a node that is killed.
final class SoakDeeds {
  private static final int BYTES = 40; // of a deed
  private static final String FOLDER = "deeds";
  private static final List<Kind> KINDS = List.of(Kind.values()); // their numbers in the file

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
    /// a caller does not know whether its request was delivered; `token` is when it has given up
    UNKNOWN,
    /// this node has found that a message was lost, or that nobody knows whether it was; it tells
    /// the node of its sender
    FAILED,
    /// this node was told that a message of it to `key` has failed, by another one
    TOLD,
    /// says the log, as this node knows it: `from` owns the shard `key` by `token`; when `entity`
    /// is 1, it is to own it, and is handed what waits
    OWNER,
    /// the session with the node `from` of the life `life` has ended; this node has the life `key`,
    /// and `number` is the last one that it has sent to that node's sink in it: `entity` is 1 when
    /// it may be one more
    SESSION_ENDED,
    /// the node `from` of the life `life` has said goodbye
    GOODBYE,
    /// a sink has got a number from `from` of the life `life`, and the one before it was `entity`;
    /// the sink's node has the life `key`
    GAP,
    /// the last number that a sink has got from `from` of the life `life`, after quiet
    LAST,
    /// this node, of the life `key`, begins to leave, and `number` is the last one that it has sent
    /// to the sink of `from`
    LEAVING,
    /// this node, of the life `key`, has left, and all that it had to do was done in time
    LEFT,
    /// the node `from` was killed, or its JVM has ended otherwise; the soak writes it
    DIED,
    /// the resource of a name has refused a write with the token of a former owner
    STALE_REFUSED,
    /// the resource of the shard `key` has refused a write of an entity with `token`; `entity` is 1
    /// when the entity was closed, since its node owned the shard no more
    WRITE_REFUSED,
    /// the node has lost its lease
    LEASE_LOST
  }

  /// One of them; where its parts mean something else, its kind says what.
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

  /// Something happened to this node, or to another.
  void happened(Kind kind, String other, int itsLife, int ownLife) {
    write(new Deed(node, kind, System.nanoTime(), 0, other, itsLife, ownLife, 0, 0));
  }

  void write(Deed deed) {
    ByteBuffer record = ByteBuffer.allocate(BYTES);
    record.putLong(deed.nanos).putLong(deed.token).putInt(KINDS.indexOf(deed.kind));
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
      Kind kind = KINDS.get(in.getInt());
      String from = "n" + in.getInt();
      into.add(
          new Deed(
              node, kind, nanos, token, from, in.getInt(), in.getInt(), in.getInt(), in.getInt()));
    }
  }
}
