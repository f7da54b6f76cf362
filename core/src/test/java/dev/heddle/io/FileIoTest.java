// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.jdk.JdkDriver;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is done with paths at once.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileIoTest {
  @TempDir Path folder;

  @Test
  void texts_andBytes_areWrittenAndReadAsWholes() {
    Path path = folder.resolve("text");
    Heddle.run(() -> {
      FileIo.writeString(path, "größer\n");
      FileIo.writeString(path, "als\n", APPEND);
      assertThat(FileIo.readString(path)).isEqualTo("größer\nals\n");
      FileIo.writeBytes(path, new byte[] {1, 2});
      assertThat(FileIo.readBytes(path)).containsExactly(1, 2);
    });
  }

  @Test
  void folders_areMadeListedAndDeleted() {
    Path inner = folder.resolve("a/b");
    Heddle.run(() -> {
      FileIo.createDirectories(inner);
      FileIo.createDirectories(inner);
      FileIo.writeString(inner.resolve("one"), "1");
      FileIo.writeString(inner.resolve("two"), "22");
      assertThat(FileIo.list(inner))
          .containsExactlyInAnyOrder(inner.resolve("one"), inner.resolve("two"));
      assertThatThrownBy(() -> FileIo.delete(inner)).isInstanceOf(DirectoryNotEmptyException.class);
      FileIo.delete(inner.resolve("one"));
      assertThat(FileIo.deleteIfExists(inner.resolve("one"))).isFalse();
      assertThat(FileIo.deleteIfExists(inner.resolve("two"))).isTrue();
      FileIo.delete(inner);
      assertThat(FileIo.exists(inner)).isFalse();
      assertThat(FileIo.exists(folder)).isTrue();
    });
  }

  @Test
  void files_areMovedAndCopied() {
    Path one = folder.resolve("one");
    Path two = folder.resolve("two");
    Heddle.run(() -> {
      FileIo.writeString(one, "1");
      FileIo.copy(one, two);
      assertThatThrownBy(() -> FileIo.move(one, two))
          .isInstanceOf(FileAlreadyExistsException.class);
      FileIo.move(one, two, StandardCopyOption.REPLACE_EXISTING);
      assertThat(FileIo.list(folder)).containsExactly(two);
    });
  }

  @Test
  void attributes_areThoseOfTheFileSystem() throws IOException {
    Path path = folder.resolve("some");
    Files.writeString(path, "12345");
    Heddle.run(() -> {
      assertThat(FileIo.stat(path).size()).isEqualTo(5);
      assertThat(FileIo.stat(folder).isDirectory()).isTrue();
      assertThat(FileIo.stat(path, PosixFileAttributes.class).owner())
          .isEqualTo(Files.getOwner(path));
      assertThatThrownBy(() -> FileIo.stat(folder.resolve("none")))
          .isInstanceOf(NoSuchFileException.class);
    });
  }

  @Test
  void callsOnPaths_runBesideTheLoop() {
    Heddle.run(() -> {
      FileIo.exists(folder);
      assertThat(Thread.getAllStackTraces().keySet())
          .anyMatch(t -> t.getName().startsWith("heddle-path-"));
    });
  }

  @Test
  void calls_outsideOfLoops_areRefusedNamingHeddleRun() {
    assertThatThrownBy(() -> FileIo.exists(folder))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
    assertThatThrownBy(() -> FileIo.open(folder))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  @Test
  void driverOfTheJdk_saysHowFilesAreServed() {
    assertThat(new JdkDriver().capabilities().get(Capability.FILE))
        .isEqualTo(Support.emulated("FileChannel, on worker threads of the loop"));
  }
}
