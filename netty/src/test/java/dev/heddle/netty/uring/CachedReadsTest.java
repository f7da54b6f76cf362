// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.netty.OnDriver;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.ReadinessCounts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reads that need no wait, and those that a device could begin with.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CachedReadsTest {
  private static final int NO_NUMBER = 1 << 30; // of no descriptor
  private static final int LENGTH = 100_000;

  @TempDir Path folder;

  private final RingFiles files = new RingFiles(new ReadinessCounts(), () -> {});

  @BeforeEach
  void requireRing() {
    OnDriver.require(UringDriver.NAME);
  }

  private byte[] content() {
    byte[] bytes = new byte[LENGTH];
    new Random(7).nextBytes(bytes);
    return bytes;
  }

  private Path written() throws IOException {
    return Files.write(folder.resolve("cached"), content());
  }

  /// With a real ring of the test's own thread.
  private static <T> T withOpen(Path path, BiFunction<FileDriver, OpenFile, T> body) {
    Thread carrier = Thread.currentThread();
    UringDriver driver = new UringDriver(thread -> thread == carrier);
    try {
      FileDriver files = driver.files();
      assumeThat(files).as("the ring serves files here").isNotNull();
      Ask opening = new Ask(path, StandardOpenOption.READ);
      files.submit(opening);
      while (opening.answers == 0) {
        driver.poll(ReactorDriver.NO_DEADLINE);
      }
      return body.apply(files, opening.file());
    } finally {
      driver.close();
    }
  }

  /// Not every file system tells.
  private static boolean isTold(Path path) {
    return withOpen(
        path, (files, file) -> files.tryRead(file, ByteBuffer.allocateDirect(1), 0) == 1);
  }

  @Test
  void readNow_ofAnyPart_bringsItsBytes_orNothing() throws IOException {
    byte[] content = content();
    Random random = new Random(8);
    int read =
        withOpen(
            written(),
            (files, file) -> {
              int sum = 0;
              for (int i = 0; i < 1_000; i++) {
                int at = random.nextInt(LENGTH + 10);
                ByteBuffer into = ByteBuffer.allocateDirect(1 + random.nextInt(9_000));
                int start = random.nextInt(into.capacity());
                int n = Math.max(0, files.tryRead(file, into.position(start), at));
                assertThat(into.position()).isEqualTo(start + n);
                assertThat(into.slice(start, n))
                    .isEqualTo(ByteBuffer.wrap(content, Math.min(at, LENGTH), n));
                sum += n;
              }
              return sum;
            });
    assertThat(read > 0).isEqualTo(isTold(folder.resolve("cached")));
  }

  @Test
  @Tag("trap-28")
  void readAt_ofWhatIsInMemory_takesNoSwitch_whereTheFileSystemTells() throws IOException {
    Path path = written();
    boolean isTold = isTold(path);
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        long before = Heddle.counters().switches();
        file.readFullyAt(ByteBuffer.allocateDirect(4_096), 5_000);
        ByteBuffer heap = ByteBuffer.allocate(4_096);
        file.readFullyAt(heap, 5_000);
        assertThat(Heddle.counters().switches() == before).isEqualTo(isTold);
        assertThat(heap.array()).isEqualTo(Arrays.copyOfRange(content(), 5_000, 9_096));
      }
    });
  }

  @Test
  void reader_whoNeverWaits_letsTheOthersRun() throws IOException {
    Path path = written();
    boolean[] others = {false};
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        Heddle.scope(() -> {
          Heddle.launch("other", () -> others[0] = true);
          while (!others[0]) {
            file.readAt(ByteBuffer.allocateDirect(100), 0);
          }
        });
      }
    });
    assertThat(others[0]).isTrue();
  }

  @Test
  void buffer_thatCannotBeWrittenTo_isRefused() throws IOException {
    Path path = written();
    ByteBuffer gone;
    try (Arena arena = Arena.ofShared()) {
      gone = arena.allocate(10).asByteBuffer();
    }
    Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(path)) {
        ByteBuffer readOnly = ByteBuffer.allocateDirect(10).asReadOnlyBuffer();
        assertThatThrownBy(() -> file.readAt(readOnly, 0))
            .isInstanceOf(ReadOnlyBufferException.class);
        assertThatThrownBy(() -> file.readAt(gone, 0)).isInstanceOf(IllegalStateException.class);
      }
    });
  }

  @Test
  void fileThatTheSystemRefusesToReadSo_isNotAskedTwice() {
    RingFile file = new RingFile(files, folder, NO_NUMBER, 0);
    assertThat(file.mayBeCached()).isTrue();
    assertThat(files.tryRead(file, ByteBuffer.allocateDirect(1), 0))
        .isEqualTo(FileDriver.WOULD_BLOCK);
    assertThat(file.mayBeCached()).isFalse();
  }

  // ---- past the cache ----

  private RingFile direct() {
    int flags = 0;
    for (int bit = 1; !OpenFlags.isDirect(flags); bit <<= 1) {
      flags = bit;
    }
    return new RingFile(files, folder, NO_NUMBER, flags);
  }

  private void ask(RingFile file, int times) {
    for (int i = 0; i < times; i++) {
      files.submit(new Ask(Kind.READ, file, ByteBuffer.allocateDirect(1), 0));
    }
  }

  @Test
  void fileOpenedPastTheCache_isNotLookedForThere() {
    assertThat(direct().mayBeCached()).isFalse();
  }

  @Test
  void turn_isDue_forTheFirstReadOfADevice_notForThoseThatAreCopied() throws IOException {
    ask(new RingFile(files, folder, NO_NUMBER, 0), 100);
    assertThat(files.isPollDue()).isFalse();
    ask(direct(), 1);
    assertThat(files.isPollDue()).isTrue();
    files.begin(new FakeRing());
    assertThat(files.isPollDue()).isFalse();
  }
}
