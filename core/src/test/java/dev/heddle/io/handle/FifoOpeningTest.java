// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.Pids;
import dev.heddle.reactor.linux.EpollSet;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.thread.worker.OffloadPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What an opening of a named pipe that is given up leaves open: nothing.
@Tag("T14.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FifoOpeningTest {
  private static final int MORE_THAN_THREADS = 100;

  @TempDir Path folder;

  private Path fifo = Path.of("");

  @BeforeEach
  void make() throws Exception {
    assumeTrue(EpollSet.refusal() == null, () -> "" + EpollSet.refusal());
    fifo = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
  }

  /// An end that a driver had opened as a file stayed open to the end of the process.
  @Test
  void endThatIsOpen_isClosedWhereverItsWaitIsCancelled() {
    Heddle.run(() -> {
      assumeTrue(FifoOpening.isServed(CoroutineNode.current()));
      Heddle.supervise(s -> {
        CountDownLatch busy = new CountDownLatch(1);
        try {
          keepPathsBusy(busy);
          cut(s, "the opening of " + fifo); // before the path is watched
        } finally {
          busy.countDown();
        }
        cut(s, "input from the opening of " + fifo);
        return null;
      });
    });
  }

  private static void keepPathsBusy(CountDownLatch until) {
    OffloadPool paths = LoopRuntime.current().blockingPools().paths();
    for (int i = 0; i < MORE_THAN_THREADS; i++) {
      paths.submit(
          "the test",
          () -> {
            until.await();
            return null;
          },
          (event, result, error) -> {});
    }
  }

  private void cut(Scope scope, String wait) throws IOException {
    int number = LinuxCalls.open(fifo.toString(), LinuxCalls.NON_BLOCKING, 0);
    Path open = Path.of("/proc/self/fd/" + number);
    assertThat(Files.readSymbolicLink(open)).isEqualTo(fifo.toRealPath());
    Coroutine<?> opening =
        scope.spawn(() -> FifoOpening.opened(CoroutineNode.current(), fifo, Set.of(READ), number));
    while (!Heddle.dump().text().contains(wait) && !opening.isDone()) {
      Heddle.yieldNow();
    }
    opening.cancel("enough");
    assertThatThrownBy(opening::await).isInstanceOf(Cancellation.class);
    assertThat(Pids.isOpen(open, fifo.toRealPath())).as("%s is open", open).isFalse();
  }
}
