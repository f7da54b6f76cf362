// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.io.LockedRange;
import dev.heddle.io.TemporaryDirectory;
import dev.heddle.io.TemporaryFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The examples of the documentation on files.
@Tag("once")
class FileSnippetsTest {
  @Test
  void file(@TempDir Path folder) {
    String line =
        Heddle.run(() -> {
          // @start region=file
          Path path = folder.resolve("journal");
          try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE)) {
            file.write(ByteBuffer.wrap("first\nsecond\n".getBytes(StandardCharsets.UTF_8)));
            file.syncData();
            file.position(0);
            return file.readLine();
          }
          // @end
        });
    assertThat(line).isEqualTo("first");
  }

  @Test
  void paths(@TempDir Path folder) {
    long sum =
        Heddle.run(() -> {
          // @start region=paths
          FileIo.writeString(folder.resolve("notes.txt"), "buy milk\n");
          long size = 0;
          for (Path path : FileIo.list(folder)) {
            size += FileIo.stat(path).size();
          }
          return size;
          // @end
        });
    assertThat(sum).isEqualTo(9);
  }

  @Test
  void replace(@TempDir Path folder) {
    Path path = folder.resolve("table.csv");
    String table =
        Heddle.run(() -> {
          // @start region=replace
          FileIo.replace(
              path,
              file -> {
                for (int i = 1; i <= 3; i++) {
                  file.write(ByteBuffer.wrap((i + "\n").getBytes(StandardCharsets.UTF_8)));
                }
              });
          // @end
          return FileIo.readString(path);
        });
    assertThat(table).isEqualTo("1\n2\n3\n");
  }

  @Test
  void temporary() {
    Path path =
        Heddle.run(() -> {
          // @start region=temporary
          try (TemporaryDirectory directory = FileIo.createTemporaryDirectory();
              TemporaryFile part = FileIo.createTemporaryFile(directory.path())) {
            part.file().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            return part.path();
          } // neither is there any more
          // @end
        });
    assertThat(path).doesNotExist();
  }

  @Test
  void lock(@TempDir Path folder) {
    Path path = folder.resolve("counter");
    boolean held =
        Heddle.run(() -> {
          // @start region=lock
          try (AsyncFile file = FileIo.open(path, READ, WRITE, CREATE);
              LockedRange lock = file.lock()) {
            file.write(ByteBuffer.wrap(new byte[] {1}));
            return lock.isHeld();
          }
          // @end
        });
    assertThat(held).isTrue();
  }
}
