// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.FileIo;
import dev.heddle.reactor.driver.FileOperation.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A file is renamed when its bytes are on the device, and not before.
@Tag("T14.2")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplaceOrderTest {
  @TempDir Path folder;

  private static void untilHeld(HeldFiles files, Kind kind, Coroutine<?> writer) {
    files.holding = true;
    while (!writer.isDone() && (files.held.isEmpty() || files.held.getFirst().kind() != kind)) {
      if (!files.held.isEmpty()) {
        files.endOne();
      }
      Heddle.yieldNow();
    }
  }

  @Test
  void newContent_isOnTheDevice_beforeItsNameIs() throws IOException {
    Path path = Files.writeString(folder.resolve("file"), "old");
    HeldFiles.run(files -> {
      Coroutine<?> writer = Heddle.spawn(() -> FileIo.replaceString(path, "new"));
      untilHeld(files, Kind.SYNC, writer);
      assertThat(path).hasContent("old");
      files.endAll();
      writer.await();
      assertThat(path).as("the file that the driver did not write").isEmptyFile();
      assertThat(files.asked).containsExactly(Kind.OPEN, Kind.WRITE, Kind.SYNC, Kind.CLOSE);
    });
  }

  @Test
  void syncThatFails_leavesTheOldContent() throws IOException {
    Path path = Files.writeString(folder.resolve("file"), "old");
    HeldFiles.run(files -> {
      Coroutine<?> writer =
          Heddle.spawn(() ->
              assertThatThrownBy(() -> FileIo.replaceString(path, "new"))
                  .isInstanceOf(IOException.class)
                  .hasMessage("full"));
      untilHeld(files, Kind.SYNC, writer);
      files.failOne(new IOException("full"));
      files.endAll();
      writer.await();
    });
    assertOldAlone(path);
  }

  @Test
  void callerThatIsCancelledDuringTheSync_leavesTheOldContent() throws IOException {
    Path path = Files.writeString(folder.resolve("file"), "old");
    HeldFiles.run(files -> {
      Coroutine<?> writer = Heddle.spawn(() -> FileIo.replaceString(path, "new"));
      untilHeld(files, Kind.SYNC, writer);
      writer.cancel("enough");
      assertThatThrownBy(writer::await).isInstanceOf(Cancellation.class);
      files.endAll();
    });
    assertOldAlone(path);
  }

  private void assertOldAlone(Path path) throws IOException {
    assertThat(path).hasContent("old");
    try (Stream<Path> all = Files.list(folder)) {
      assertThat(all).containsExactly(path);
    }
  }
}
