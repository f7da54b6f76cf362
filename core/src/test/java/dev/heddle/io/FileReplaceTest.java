// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Files that are replaced as a whole, and files that are there for a while.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileReplaceTest {
  private static final int MOMENTS = 24; // turns of the loop after which a call is cancelled

  @TempDir Path folder;

  private List<Path> all() throws IOException {
    try (Stream<Path> list = Files.list(folder)) {
      return list.toList();
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  // ---- replacing ----

  @Test
  void replace_ofWhatIsNotThere_createsIt_withTheProcessesOwnPermissions() throws IOException {
    Path path = folder.resolve("new");
    Path other = Files.writeString(folder.resolve("other"), "");
    Heddle.run(() -> FileIo.replaceString(path, "größer"));
    assertThat(path).hasContent("größer");
    assertThat(Files.getPosixFilePermissions(path)).isEqualTo(Files.getPosixFilePermissions(other));
    assertThat(all()).containsExactlyInAnyOrder(path, other);
  }

  @Test
  void replace_keepsPermissionsAndOwner() throws IOException {
    Path path = Files.writeString(folder.resolve("old"), "a long old content");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r-xr-----"));
    Heddle.run(() -> FileIo.replaceBytes(path, new byte[] {'n'}));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("r-xr-----");
    assertThat(Files.getOwner(path)).isEqualTo(Files.getOwner(folder));
    assertThat(Files.size(path)).isEqualTo(1);
    assertThat(all()).containsExactly(path);
  }

  @Test
  void replace_duringAReading_showsTheOldContentOrTheNewOne_neverAPart() throws IOException {
    Path path = Files.writeString(folder.resolve("read"), "a".repeat(100_000));
    Heddle.run(() -> {
      Coroutine<?> writer =
          Heddle.spawn(() -> {
            for (char c = 'b'; c <= 'k'; c++) {
              FileIo.replaceString(path, String.valueOf(c).repeat(100_000));
            }
          });
      while (!writer.isDone()) {
        String seen = FileIo.readString(path);
        assertThat(seen).isEqualTo(seen.substring(0, 1).repeat(100_000));
      }
    });
  }

  @Test
  void newContent_isNotSeen_beforeItIsWhole_norByOthersAtAll() throws IOException {
    Path path = Files.writeString(folder.resolve("secret"), "old");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
    Heddle.run(() ->
        FileIo.replace(
            path,
            file -> {
              file.write(bytes("half"));
              assertThat(path).hasContent("old");
              assertThat(file.path().getParent()).isEqualTo(folder);
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())))
                  .isEqualTo("rw-------");
              file.writeLater(bytes(" and half"));
            }));
    assertThat(path).hasContent("half and half");
  }

  @Test
  void contentThatFails_leavesTheOldOne_andNothingElse() throws IOException {
    Path path = Files.writeString(folder.resolve("old"), "old");
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              FileIo.replace(
                  path,
                  file -> {
                    file.write(bytes("half"));
                    throw new IOException("no more");
                  }))
          .isInstanceOf(IOException.class)
          .hasMessage("no more");
      assertThatThrownBy(() -> FileIo.replace(path, AsyncIo::close))
          .isInstanceOf(java.nio.channels.ClosedChannelException.class);
    });
    assertThat(path).hasContent("old");
    assertThat(all()).containsExactly(path);
  }

  @Test
  void cancelledAtAnyMoment_leavesTheOldContentOrTheNewOne_andNothingElse() throws IOException {
    Path path = Files.writeString(folder.resolve("old"), "old");
    for (int moment = 0; moment < MOMENTS; moment++) {
      int turns = moment;
      Heddle.run(() -> {
        Coroutine<?> writer =
            Heddle.spawn(() ->
                FileIo.replace(
                    path,
                    file -> {
                      file.write(bytes("new "));
                      file.write(bytes("content"));
                    }));
        for (int i = 0; i < turns && !writer.isDone(); i++) {
          FileIo.exists(folder); // as long as a call beside the loop takes
        }
        writer.cancel("the test");
        try {
          writer.await();
        } catch (Cancellation _) {
          // that was asked for
        }
      });
      assertThat(Files.readString(path)).isIn("old", "new content");
      assertThat(all()).containsExactly(path);
    }
  }

  @Test
  void link_stays_andWhatItLeadsToIsReplaced() throws IOException {
    Path target = Files.writeString(folder.resolve("target"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("target"));
    Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), Path.of("made"));
    Path loop = folder.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    Heddle.run(() -> {
      FileIo.replaceString(link, "new");
      FileIo.replaceString(dangling, "made");
      assertThatThrownBy(() -> FileIo.replaceString(loop, "none"))
          .isInstanceOf(FileSystemLoopException.class);
    });
    assertThat(link).isSymbolicLink().hasContent("new");
    assertThat(target).hasContent("new");
    assertThat(folder.resolve("made")).isRegularFile().hasContent("made");
  }

  @Test
  void whatIsNoFile_isRefused_namingIt() throws IOException {
    Path directory = Files.createDirectory(folder.resolve("directory"));
    Heddle.run(() -> {
      assertThatThrownBy(() -> FileIo.replaceString(directory, ""))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("directory: is not a regular file");
      assertThatThrownBy(() -> FileIo.replaceString(folder.resolve("none/file"), ""))
          .isInstanceOf(NoSuchFileException.class);
    });
    assertThat(all()).containsExactly(directory);
  }

  @Test
  void groupThatIsNotKept_getsNoMoreThanEverybody() {
    var permissions = PosixFilePermissions.fromString("rwxrwxr--");
    AtomicReplacement.narrow(permissions);
    assertThat(PosixFilePermissions.toString(permissions)).isEqualTo("rwxr--r--");
  }

  @Test
  void sync_ofADirectory_isACallOfItsOwn() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    Heddle.run(() -> {
      FileIo.syncDirectory(folder);
      assertThatThrownBy(() -> FileIo.syncDirectory(file))
          .isInstanceOf(NotDirectoryException.class)
          .hasMessageContaining("file");
      assertThatThrownBy(() -> FileIo.syncDirectory(folder.resolve("none")))
          .isInstanceOf(NoSuchFileException.class);
    });
  }

  // ---- for a while ----

  @Test
  void temporaryFile_isItsOwnersAlone_andDeletedWhenItIsClosed() throws IOException {
    Heddle.run(() -> {
      TemporaryFile temporary = FileIo.createTemporaryFile(folder);
      try (temporary) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary.path())))
            .isEqualTo("rw-------");
        temporary.file().write(bytes("line\n"));
        temporary.file().position(0);
        assertThat(temporary.file().readLine()).isEqualTo("line");
      }
      assertThat(temporary.file().isOpen()).isFalse();
      temporary.close();
      try (TemporaryFile gone = FileIo.createTemporaryFile(folder)) {
        FileIo.delete(gone.path());
      }
      try (TemporaryFile elsewhere = FileIo.createTemporaryFile()) {
        assertThat(elsewhere.path()).exists();
      }
    });
    assertThat(all()).isEmpty();
  }

  @Test
  void temporaryDirectory_isItsOwnersAlone_andDeletedWithAllThatIsInIt() throws IOException {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("stays"), "");
    Heddle.run(() -> {
      TemporaryDirectory temporary = FileIo.createTemporaryDirectory(folder);
      try (temporary) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary.path())))
            .isEqualTo("rwx------");
        FileIo.createDirectories(temporary.path().resolve("a/b"));
        FileIo.writeString(temporary.path().resolve("a/b/file"), "");
        Files.createSymbolicLink(temporary.path().resolve("link"), outside);
      }
      temporary.close();
      try (TemporaryDirectory gone = FileIo.createTemporaryDirectory(folder)) {
        FileIo.delete(gone.path());
      }
      try (TemporaryDirectory elsewhere = FileIo.createTemporaryDirectory()) {
        assertThat(elsewhere.path()).isDirectory();
      }
    });
    assertThat(all()).containsExactly(outside);
    assertThat(outside.resolve("stays")).exists();
  }

  @Test
  void temporaries_whoseCreationIsCancelledAtAnyMoment_leaveNothing() throws IOException {
    for (int moment = 0; moment < MOMENTS; moment++) {
      int turns = moment;
      Heddle.run(() -> {
        Coroutine<?> user =
            Heddle.spawn(() -> {
              try (TemporaryDirectory directory = FileIo.createTemporaryDirectory(folder);
                  TemporaryFile _ = FileIo.createTemporaryFile(directory.path());
                  TemporaryFile _ = FileIo.createTemporaryFile(folder)) {
                FileIo.exists(folder);
              }
            });
        for (int i = 0; i < turns && !user.isDone(); i++) {
          FileIo.exists(folder);
        }
        user.cancel("the test");
        try {
          user.await();
        } catch (Cancellation _) {
          // that was asked for
        }
      });
      assertThat(all()).isEmpty();
    }
  }
}
