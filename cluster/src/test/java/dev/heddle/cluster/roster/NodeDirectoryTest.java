// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeDirectoryTest {
  @TempDir Path temporary;

  @Test
  void open_againAfterTheEnd_provesThatTheEarlierLifeHasEnded() throws IOException {
    StorageProof first = proofOf("shop");
    StorageProof second = proofOf("shop");

    assertThat(second.directory()).isEqualTo(first.directory());
    assertThat(second.supersedes(first)).isTrue();
    assertThat(first.supersedes(second)).isFalse();
  }

  @Test
  void open_twoDirectories_proveNothingOfEachOther() throws IOException {
    assertThat(proofOf("one").directory()).isNotEqualTo(proofOf("two").directory());
  }

  @Test
  void open_whileItIsLocked_failsAndSaysByWhom() throws IOException {
    try (NodeDirectory _ = NodeDirectory.open(temporary, "a")) {
      assertThatThrownBy(() -> NodeDirectory.open(temporary, "a"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("locked by node 'a' in process " + ProcessHandle.current().pid());
    }
    NodeDirectory.open(temporary, "a").close();
  }

  /// The lock of a file ends when its process closes any channel of the file.
  @Test
  void open_thatFails_leavesTheLockToTheOneThatHasIt() throws Exception {
    try (NodeDirectory _ = NodeDirectory.open(temporary, "a")) {
      assertThatThrownBy(() -> NodeDirectory.open(temporary.resolve("."), "a"))
          .isInstanceOf(IOException.class);
      assertThat(isLockedForOthers()).isTrue();
    }
    assertThat(isLockedForOthers()).isFalse();
  }

  private boolean isLockedForOthers() throws IOException, InterruptedException {
    Path program = temporary.resolve("Probe.java");
    Files.writeString(
        program,
        """
        import module java.base;
        void main(String[] args) throws Exception {
          var lock = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE);
          System.exit(lock.tryLock() == null ? 10 : 20);
        }
        """);
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                program.toString(),
                temporary.resolve("lock").toString())
            .inheritIO()
            .start();
    int code = java.waitFor();
    assertThat(code).isIn(10, 20);
    return code == 10;
  }

  @Test
  void open_directoryOfAnotherNode_failsAndNamesBoth() throws IOException {
    NodeDirectory.open(temporary, "a").close();

    assertThatThrownBy(() -> NodeDirectory.open(temporary, "b"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("belongs to node 'a', node 'b' cannot use it");
  }

  @Test
  void open_ofAnotherFormat_failsAndNamesBoth() throws IOException {
    Files.writeString(temporary.resolve("node"), "2\nmore\n");

    assertThatThrownBy(() -> NodeDirectory.open(temporary, "a"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its format is '2' with 2 lines, this release has '1' with 4");
  }

  /// A name that is not on the disk is another one after a loss of power, with all that it led to.
  @Test
  void write_hasTheContentOnTheDisk_beforeItsName_andTheNameBeforeItReturns() throws IOException {
    Path file = temporary.resolve("voter");
    Files.writeString(file, "old");
    List<String> forced = new ArrayList<>();
    NodeDirectory.write(
        file,
        "new".getBytes(StandardCharsets.UTF_8),
        path ->
            forced.add(
                (Files.isDirectory(path) ? "directory" : Files.readString(path))
                    + " when the file is "
                    + Files.readString(file)));

    assertThat(forced)
        .containsExactly("new when the file is old", "directory when the file is new");
  }

  @Test
  void open_ofADirectoryThatIsNotThere_hasAllOfItsNamesOnTheDisk() throws IOException {
    List<Path> forced = new ArrayList<>();
    NodeDirectory.create(temporary.resolve("one/two"), forced::add);
    assertThat(forced)
        .containsExactlyInAnyOrder(temporary.toAbsolutePath(), temporary.resolve("one"));
    assertThat(temporary.resolve("one/two")).isDirectory();
    forced.clear();
    NodeDirectory.create(temporary.resolve("one/two"), forced::add);
    assertThat(forced).isEmpty();
  }

  private StorageProof proofOf(String name) throws IOException {
    try (NodeDirectory directory = NodeDirectory.open(temporary.resolve(name), "a")) {
      return directory.proof();
    }
  }
}
