// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.file.memory.MemoryFiles;
import dev.heddle.test.node.Node;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Files in memory, as Heddle's files and the JDK's calls use them.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedFilesTest {
  private static final String OLD = "old ".repeat(3_000);
  private static final String NEW = "new ".repeat(4_000);

  @FunctionalInterface
  private interface Program {
    void run(SimulatedFiles files) throws Exception;
  }

  private static Duration run(Program program) {
    return Simulation.run(() -> program.run(Simulation.files())).elapsed();
  }

  private static ByteBuffer utf8(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  // ---- contents ----

  @Test
  void contents_areReadAsTheyWereWritten_andTakeVirtualTime() {
    Duration took =
        run(files -> {
          Path path = files.path("/tmp/file");
          try (AsyncFile file = FileIo.open(path, CREATE_NEW, WRITE, READ)) {
            file.write(utf8(NEW));
            file.position(0);
            ByteBuffer all = ByteBuffer.allocate(NEW.length());
            file.readFully(all);
            assertThat(all.flip()).isEqualTo(utf8(NEW));
            assertThat(file.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            file.truncate(3);
            assertThat(file.size()).isEqualTo(3);
          }
          try (AsyncFile file = FileIo.open(path, READ, APPEND)) {
            file.write(utf8("er"));
            assertThat(file.size()).isEqualTo(5);
          }
          assertThat(FileIo.readString(path)).isEqualTo("newer");
        });
    assertThat(took).isPositive();
  }

  @Test
  void shortWrites_leaveTheContentWhole() {
    run(files -> {
      files.setFaults(FileFaults.defaults().withShortWrite(0.9));
      Path path = files.path("/tmp/file");
      try (AsyncFile file = FileIo.open(path, CREATE, WRITE)) {
        file.write(utf8(NEW));
      }
      assertThat(FileIo.readString(path)).isEqualTo(NEW);
    });
  }

  @Test
  void names_areMadeMovedListedAndDeleted_withTheJdksErrors() {
    run(files -> {
      Path folder = files.path("/data/logs");
      FileIo.createDirectories(folder);
      FileIo.writeString(folder.resolve("b"), "1");
      FileIo.writeString(folder.resolve("a"), "2");
      assertThat(FileIo.list(folder)).containsExactly(folder.resolve("a"), folder.resolve("b"));
      assertThatThrownBy(() -> FileIo.delete(folder))
          .isInstanceOf(DirectoryNotEmptyException.class);
      assertThatThrownBy(() -> FileIo.move(folder.resolve("a"), folder.resolve("b")))
          .isInstanceOf(FileAlreadyExistsException.class);
      assertThatThrownBy(() -> FileIo.open(folder.resolve("none"), READ))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessage("/data/logs/none");
      assertThatThrownBy(() -> FileIo.open(folder.resolve("a"), WRITE, CREATE_NEW))
          .isInstanceOf(FileAlreadyExistsException.class);
      assertThatThrownBy(() -> FileIo.writeString(files.path("/none/a"), ""))
          .isInstanceOf(NoSuchFileException.class);
      FileIo.delete(folder.resolve("a"));
      FileIo.delete(folder.resolve("b"));
      FileIo.delete(folder);
      assertThat(FileIo.exists(folder)).isFalse();
    });
  }

  // ---- faults ----

  @Test
  void fullDisk_failsAWriteThatNeedsRoom_andGivesItBack() {
    run(files -> {
      files.setFree(10_000);
      Path path = files.path("/tmp/file");
      try (AsyncFile file = FileIo.open(path, CREATE, WRITE)) {
        ByteBuffer much = ByteBuffer.allocate(20_000);
        assertThatThrownBy(() -> file.write(much))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("No space left on device");
        assertThat(much.position()).isEqualTo(10_000);
      }
      assertThat(files.free()).isZero();
      FileIo.delete(path);
      assertThat(files.free()).isEqualTo(10_000);
    });
  }

  @Test
  void errorsOfTheDisk_reachTheCaller() {
    run(files -> {
      Path path = files.path("/tmp/file");
      try (AsyncFile file = FileIo.open(path, CREATE, WRITE, READ)) {
        file.write(utf8("a"));
        files.setFaults(FileFaults.defaults().withReadError(1).withWriteError(1).withSyncError(1));
        assertThatThrownBy(() -> file.readAt(ByteBuffer.allocate(1), 0))
            .hasMessageContaining("Input/output error");
        assertThatThrownBy(() -> file.write(utf8("b"))).hasMessageContaining("Input/output error");
        assertThatThrownBy(file::sync).hasMessageContaining("Input/output error");
      }
    });
  }

  /// What a second incarnation finds after a crash that comes at some time.
  private static String afterCrash(long seed, Program before, Path[] path) {
    String[] found = new String[1];
    int[] starts = new int[1];
    long crashAt = new Random(seed).nextLong(12_000_000); // ns, some of it after the end
    Action program =
        () -> {
          SimulatedFiles files = Simulation.files();
          path[0] = files.path("/tmp/file");
          if (starts[0]++ == 0) {
            before.run(files);
            Heddle.delay(Duration.ofDays(1));
          }
          found[0] = Files.exists(path[0]) ? FileIo.readString(path[0]) : "nothing";
        };
    Simulation.run(
        SimulationOptions.defaults().withSeed(seed),
        () -> {
          Node node = Node.start("host", program);
          Heddle.delay(Duration.ofNanos(crashAt));
          node.crash();
          node.restart();
          node.await();
        });
    return found[0];
  }

  private static void makeOld(SimulatedFiles files, Path path) throws IOException {
    try (AsyncFile file = FileIo.open(path, CREATE, WRITE)) {
      file.write(utf8(OLD));
      file.sync();
    }
    FileIo.syncDirectory(files.path("/tmp"));
    files.setFaults(FileFaults.usual());
  }

  private static String kind(String found) {
    return found.equals(OLD)
        ? "old"
        : found.equals(NEW) ? "new" : found.equals("nothing") ? "none" : "torn";
  }

  private static Set<String> kinds(Program change) {
    Set<String> kinds = new TreeSet<>();
    for (long seed = 0; seed < 300; seed++) {
      Path[] path = new Path[1];
      boolean[] made = new boolean[1];
      Program program =
          files -> {
            makeOld(files, path[0]);
            made[0] = true;
            change.run(files);
          };
      String found = afterCrash(seed, program, path);
      if (made[0]) {
        kinds.add(kind(found));
      }
    }
    return kinds;
  }

  @Test
  void replacement_atAnyCrash_leavesTheOldContentOrTheNew() {
    assertThat(kinds(files -> FileIo.replaceString(files.path("/tmp/file"), NEW)))
        .containsExactly("new", "old");
  }

  @Test
  void replacementWithoutASync_isFoundToLoseTheContent() {
    Program careless =
        files -> {
          FileIo.writeString(files.path("/tmp/next"), NEW);
          FileIo.move(
              files.path("/tmp/next"), files.path("/tmp/file"), StandardCopyOption.ATOMIC_MOVE);
          FileIo.syncDirectory(files.path("/tmp"));
        };
    assertThat(kinds(careless)).contains("torn");
  }

  @Test
  void overwriteInPlace_isFoundToTear() {
    assertThat(kinds(files -> FileIo.writeString(files.path("/tmp/file"), NEW))).contains("torn");
  }

  @Test
  void syncThatFailed_wroteNothing_andASecondOneDoesNotEither() throws IOException {
    SimulatedFiles files = new MemoryFiles("host", 1);
    Path path = files.path("/tmp/file");
    Files.writeString(path, "first");
    try (var channel = FileChannel.open(path, WRITE);
        var folder = FileChannel.open(files.path("/tmp"), READ)) {
      channel.force(true);
      folder.force(true);
      channel.write(utf8("other"));
      files.setFaults(FileFaults.defaults().withSyncError(1));
      assertThatThrownBy(() -> channel.force(true)).isInstanceOf(IOException.class);
      files.setFaults(FileFaults.defaults());
      channel.force(true);
    }
    files.crash();
    assertThat(Files.readString(path)).isEqualTo("first");
  }

  @Test
  void nameOfAFile_whoseDirectoryWasNotSynced_isLost() throws IOException {
    SimulatedFiles files = new MemoryFiles("host", 1);
    Path path = files.path("/tmp/file");
    try (var channel = FileChannel.open(path, CREATE, WRITE)) {
      channel.write(utf8("synced"));
      channel.force(true);
    }
    files.crash();
    assertThat(path).doesNotExist();
  }

  @Test
  void crash_closesWhatIsOpen() throws IOException {
    SimulatedFiles files = new MemoryFiles("host", 1);
    Path path = files.path("/tmp/file");
    try (var channel = FileChannel.open(path, CREATE, WRITE)) {
      files.crash();
      assertThatThrownBy(() -> channel.write(utf8("late")))
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  @Test
  void sameSeed_leavesTheSameAfterACrash() {
    List<String> first = new ArrayList<>();
    List<String> second = new ArrayList<>();
    for (List<String> all : List.of(first, second)) {
      for (long seed = 0; seed < 50; seed++) {
        Path[] path = new Path[1];
        all.add(
            afterCrash(
                seed,
                files -> {
                  files.setFaults(FileFaults.usual());
                  FileIo.writeString(files.path("/tmp/file"), NEW);
                },
                path));
      }
    }
    assertThat(second).isEqualTo(first);
    assertThat(Set.copyOf(first)).hasSizeGreaterThan(3);
  }
}
