// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.uring.FakeRing.Entry;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.ReadinessCounts;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a kernel may answer, and when.
@Tag("T14.2")
@Tag("trap-28")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RingFaultsTest {
  private static final int ASYNC_CANCEL = 14;
  private static final int READ = 22;
  private static final int STATX = 21;
  private static final int ASYNC = 16;
  private static final int NO_NUMBER = 1 << 30; // of no descriptor
  private static final int EINTR = -4;
  private static final int EAGAIN = -11;
  private static final int EINVAL = -22;
  private static final int ENOSPC = -28;
  private static final int ECANCELED = -125;

  private final RingFiles files = new RingFiles(new ReadinessCounts(), () -> {});
  private final FakeRing ring = new FakeRing();

  @BeforeEach
  void aRingIsThere() {
    OnDriver.require(UringDriver.NAME);
  }

  private RingFile file(StandardOpenOption... options) {
    return new RingFile(files, Path.of("fake"), NO_NUMBER, OpenFlags.of(Set.of(options)));
  }

  private Ask submit(Ask ask) throws IOException {
    files.submit(ask);
    files.begin(ring);
    return ask;
  }

  private Ask read(OpenFile file) throws IOException {
    return submit(new Ask(Kind.READ, file, ByteBuffer.allocateDirect(8), 0));
  }

  @Test
  void interrupted_andBusy_areAskedAgain_ofAWorker() throws IOException {
    Ask ask = read(file());
    for (int code : new int[] {EINTR, EAGAIN}) {
      ring.complete(code);
      assertThat(ask.answers).isZero();
      assertThat(files.isWorking()).isTrue();
      files.begin(ring);
      assertThat(ring.entries).singleElement().extracting(Entry::flags).isEqualTo(ASYNC);
    }
    ring.complete(5);
    assertThat(ask.result).isEqualTo(5);
    assertThat(files.isWorking()).isFalse();
  }

  @Test
  void interrupted_withoutAWaiter_isNotAskedAgain() throws IOException {
    Ask ask = read(file());
    files.cancel(ask);
    files.begin(ring);
    assertThat(ring.entries).extracting(Entry::opcode).containsExactly(READ, ASYNC_CANCEL);
    ring.complete(EINTR);
    assertThat(ask.error).isInstanceOf(Cancellation.class);
    assertThat(files.isWorking()).isFalse();
  }

  @Test
  void cancelled_thatSucceedsAllTheSame_saysSo() throws IOException {
    Ask ask = read(file());
    files.cancel(ask);
    files.begin(ring);
    ring.complete(7);
    assertThat(ask.error).isNull();
    assertThat(ask.result).isEqualTo(7);
  }

  @Test
  void cancelled_afterItsCompletion_cancelsNothingElse() throws IOException {
    Ask first = read(file());
    files.cancel(first);
    ring.complete(ECANCELED);
    Ask second = read(file());
    assertThat(ring.entries).extracting(Entry::opcode).containsExactly(READ);
    ring.complete(3);
    assertThat(second.result).isEqualTo(3);
  }

  @Test
  void cancelled_beforeItIsHandedOver_isNeverSeenByTheSystem() throws IOException {
    Ask ask = new Ask(Kind.READ, file(), ByteBuffer.allocateDirect(8), 0);
    files.submit(ask);
    files.cancel(ask);
    files.begin(ring);
    assertThat(ring.entries).isEmpty();
    assertThat(ask.error).isInstanceOf(Cancellation.class);
  }

  @Test
  void slot_ofARequestUnderWay_isNotReused() throws IOException {
    Ask slow = read(file());
    short place = ring.entries.removeFirst().slot();
    for (int i = 0; i < 3_000; i++) {
      Ask quick = read(file());
      assertThat(ring.entries.getFirst().slot()).isNotEqualTo(place);
      ring.complete(1);
      assertThat(quick.answers).isOne();
    }
    assertThat(slow.answers).isZero();
  }

  @Test
  void moreThanTheRingHasRoomFor_waitForACompletion() throws IOException {
    for (int i = 0; i < 1_025; i++) {
      read(file());
    }
    assertThat(ring.entries).hasSize(1_024);
    ring.complete(1);
    files.begin(ring);
    assertThat(ring.entries).hasSize(1_024);
  }

  @Test
  void muchAtOnce_isHandedOverInTurns() throws IOException {
    for (int i = 0; i < 9; i++) {
      files.submit(new Ask(Kind.READ, file(), ByteBuffer.allocateDirect(256 << 10), 0));
    }
    assertThat(files.begin(ring)).isTrue();
    assertThat(ring.entries).hasSize(4);
    assertThat(files.begin(ring)).isTrue();
    assertThat(files.begin(ring)).isFalse();
    assertThat(ring.entries).hasSize(9);
  }

  @Test
  void failures_areInTheSystemsWords() throws IOException {
    Ask full = submit(new Ask(Kind.WRITE, file(StandardOpenOption.WRITE), buffer(8), 0));
    ring.complete(ENOSPC);
    assertThat(full.error).isExactlyInstanceOf(IOException.class);
    assertThat(full.error).hasMessage("No space left on device");
  }

  private static ByteBuffer buffer(int size) {
    return ByteBuffer.allocateDirect(size);
  }

  private RingFile pastTheCache() {
    int direct = 0;
    for (int bit = 1; !OpenFlags.isDirect(direct); bit <<= 1) {
      direct = bit;
    }
    return new RingFile(files, Path.of("fake"), NO_NUMBER, direct);
  }

  @Test
  void readsOfADevice_areHandedOver_asSoonAsTheyAreAQuarterOfWhatItHas() throws IOException {
    RingFile file = pastTheCache();
    for (int has : new int[] {0, 1, 4, 5, 16, 17}) {
      while (ring.entries.size() < has) {
        submit(new Ask(Kind.READ, file, buffer(512), 0));
      }
      assertThat(files.isPollDue()).isFalse();
      int waiting = 0;
      do {
        files.submit(new Ask(Kind.READ, file, buffer(512), 0));
        waiting++;
      } while (!files.isPollDue());
      assertThat(waiting).isEqualTo(Math.max(1, (has + 3) / 4));
      files.begin(ring);
      while (!ring.entries.isEmpty()) {
        ring.complete(512);
      }
    }
  }

  @Test
  void readPastTheCache_thatDoesNotFitTheDevice_saysWhatItMustBe() throws IOException {
    RingFile file = pastTheCache();
    Ask odd = submit(new Ask(Kind.READ, file, buffer(100), 5));
    ring.complete(EINVAL);
    assertThat(odd.error).hasMessageContainingAll("fake", "DIRECT", "multiples", "5", "100");
  }

  @Test
  void truncation_asksHowLongItIsFirst_andCanBeCancelledBetween() throws IOException {
    Ask cut = submit(new Ask(Kind.TRUNCATE, file(StandardOpenOption.WRITE), null, 0));
    assertThat(ring.entries).extracting(Entry::opcode).containsExactly(STATX);
    files.cancel(cut);
    ring.complete(ECANCELED);
    assertThat(cut.error).isInstanceOf(Cancellation.class);
    assertThat(files.isWorking()).isFalse();
  }

  @Test
  @Tag("trap-29")
  void close_thatIsNotAnswered_isNotDoneOnceMore(@TempDir Path folder) throws IOException {
    RingFile file = opened(folder);
    submit(new Ask(Kind.CLOSE, file, null, 0));
    files.beginToClose();
    assertThat(files.finish()).isOne();
    assertThat(name(file)).isEqualTo(folder.resolve("file"));
  }

  @Test
  @Tag("trap-29")
  void file_whoseChannelsAreStillInUse_keepsItsNumber(@TempDir Path folder) throws IOException {
    RingFile file = opened(folder);
    file.channel(false);
    synchronized (file) {
      submit(new Ask(Kind.CLOSE, file, null, 0));
      files.beginToClose();
      assertThat(files.finish()).isOne();
      assertThat(name(file)).isEqualTo(folder.resolve("file"));
    }
  }

  @Test
  void file_thatIsNotClosed_isClosedAtTheEnd(@TempDir Path folder) throws IOException {
    RingFile file = opened(folder);
    files.beginToClose();
    assertThat(files.finish()).isZero();
    assertThat(name(file)).isNotEqualTo(folder.resolve("file"));
  }

  private RingFile opened(Path folder) throws IOException {
    Path path = Files.createFile(folder.resolve("file"));
    Ask opening = submit(new Ask(path, StandardOpenOption.READ));
    ring.complete(FileDescriptor.from(path.toString()).intValue());
    return (RingFile) opening.file();
  }

  /// What its number stands for.
  private static @Nullable Path name(RingFile file) throws IOException {
    Path link = Path.of("/proc/self/fd/" + file.fd());
    try {
      return Files.readSymbolicLink(link);
    } catch (NoSuchFileException _) {
      return null; // nothing
    }
  }

  @Test
  void buffer_ofWhatNeverEnds_isNeverFreed() throws IOException {
    WeakReference<ByteBuffer> used = bufferOfWhatNeverEnds();
    WeakReference<ByteBuffer> unused = new WeakReference<>(buffer(8));
    while (unused.get() != null) {
      System.gc();
    }
    assertThat(used.get()).isNotNull();
  }

  /// Of a driver that is forgotten, as its loop is when it has ended.
  private static WeakReference<ByteBuffer> bufferOfWhatNeverEnds() throws IOException {
    RingFaultsTest its = new RingFaultsTest();
    Ask ask = its.read(its.file());
    its.files.beginToClose();
    its.files.begin(its.ring);
    assertThat(its.ring.entries).extracting(Entry::opcode).containsExactly(READ, ASYNC_CANCEL);
    assertThat(its.files.finish()).isOne();
    return new WeakReference<>(ask.buffer());
  }
}
