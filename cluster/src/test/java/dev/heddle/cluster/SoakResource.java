// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// Something outside of the cluster that owners of a name change, as a file: it lets a write in
/// unless it has seen a higher token, and keeps what it has let in, and when.
///
/// It knows tokens and nothing else, as a database does. So it lets a write of a former owner in
/// when the tokens do not grow from owner to owner: [SoakOwners] compares with who owned the name.
final class SoakResource {
  private static final int RECORD = 40; // bytes: the token, the time, the node

  /// What was let in.
  ///
  /// @param nanos of the monotonic clock of the machine
  record Write(long token, String node, long nanos) {}

  private final Path file;

  SoakResource(Path file) {
    this.file = file;
  }

  /// Writes, unless a later token has been written.
  ///
  /// @return false when it is refused; a resource that is just being written lets nothing in, and
  ///   says true
  boolean write(long token, String node) throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        return true; // its holder may be stopped
      }
      long end = channel.size() / RECORD * RECORD; // a writer may have been killed
      if (end > 0 && token < last(channel, end)) {
        return false;
      }
      byte[] record = new byte[RECORD];
      ByteBuffer.wrap(record)
          .putLong(token)
          .putLong(System.nanoTime())
          .put(node.getBytes(StandardCharsets.UTF_8));
      channel.write(ByteBuffer.wrap(record), end);
      return true;
    }
  }

  private static long last(FileChannel channel, long end) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(Long.BYTES);
    channel.read(record, end - RECORD);
    return record.getLong(0);
  }

  List<Write> all() throws IOException {
    List<Write> all = new ArrayList<>();
    if (!Files.exists(file)) {
      return all;
    }
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    while (content.remaining() >= RECORD) {
      byte[] node = new byte[RECORD - 2 * Long.BYTES];
      long token = content.getLong();
      long nanos = content.getLong();
      content.get(node);
      String name = new String(node, StandardCharsets.UTF_8).strip().replace("\0", "");
      all.add(new Write(token, name, nanos));
    }
    return all;
  }
}
