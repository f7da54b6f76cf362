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
/// unless it has seen a higher token, and keeps what it has let in.
final class SoakResource {
  private static final int RECORD = 32; // bytes: the token, the node

  /// What was let in.
  record Write(long token, String node) {}

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
      ByteBuffer.wrap(record).putLong(token).put(node.getBytes(StandardCharsets.UTF_8));
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
      byte[] node = new byte[RECORD - Long.BYTES];
      long token = content.getLong();
      content.get(node);
      all.add(new Write(token, new String(node, StandardCharsets.UTF_8).strip().replace("\0", "")));
    }
    return all;
  }
}
