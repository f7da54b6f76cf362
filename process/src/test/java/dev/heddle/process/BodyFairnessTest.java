// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bodies that never wait, on the only worker: others have their turn.
@Timeout(300)
@Tag("proc-262")
class BodyFairnessTest {
  private static final long MILLISECOND = 1_000_000;

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
  private final AtomicBoolean othersHaveRun = new AtomicBoolean();

  @AfterEach
  void end() {
    othersHaveRun.set(true);
    runtime.close();
  }

  private Pid other() {
    return runtime.spawn((events, out) -> {
      if (!events.isEmpty()) {
        othersHaveRun.set(true);
        out.done();
      }
    });
  }

  /// Lets a body do something again and again until another process has made a step.
  private void assertThatOthersRunWhile(Consumer<CoroutineProcess> again) throws Exception {
    Pid other = other();
    CountDownLatch begun = new CountDownLatch(1);
    Pid hog =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              begun.countDown();
              while (!othersHaveRun.get()) {
                again.accept(self);
              }
              return "gave way";
            }));
    begun.await();
    runtime.send(other, "step");
    assertThat(Kit.exit(runtime, hog).result()).isEqualTo("gave way");
  }

  @Test
  void body_thatOnlyOffers_letsOthersRun() throws Exception {
    Pid sink =
        runtime.spawn(
            Kit.resting(), StartOptions.defaults().withMailbox(100, MailboxPolicy.DROP_NEWEST));
    assertThatOthersRunWhile(self -> self.context().offer(sink, 1));
  }

  /// Each level takes so long that it would yield every few of them, and find an empty stack then.
  private static int recurse(CoroutineProcess self, Pid sink) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < MILLISECOND / 50) {
      Thread.onSpinWait();
    }
    self.context().offer(sink, 1);
    return recurse(self, sink) + 1;
  }

  @Test
  void body_thatRecursesWithoutEnd_meetsTheEndOfTheStack() {
    Pid sink =
        runtime.spawn(
            Kit.resting(), StartOptions.defaults().withMailbox(100, MailboxPolicy.DROP_NEWEST));
    Pid deep = runtime.spawn(CoroutineProcess.of(self -> recurse(self, sink)));
    assertThat(Kit.exit(runtime, deep).cause()).isInstanceOf(StackOverflowError.class);
  }

  @Test
  void body_thatOnlySendsToItself_letsOthersRun() throws Exception {
    StartOptions keepsTheLast = StartOptions.defaults().withMailbox(2, MailboxPolicy.DROP_OLDEST);
    Pid other = other();
    CountDownLatch begun = new CountDownLatch(1);
    Pid hog =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              begun.countDown();
              while (!othersHaveRun.get()) {
                runtime.send(self.context().self(), 1);
              }
              return "gave way";
            }),
            keepsTheLast);
    begun.await();
    runtime.send(other, "step");
    assertThat(Kit.exit(runtime, hog).result()).isEqualTo("gave way");
  }

  @Test
  void body_thatOnlySpawns_letsOthersRun() throws Exception {
    assertThatOthersRunWhile(self -> self.context().spawn((_, out) -> out.done()));
  }

  @Test
  void body_thatReceivesWhatIsThere_letsOthersRun() throws Exception {
    Pid other = other();
    CountDownLatch go = new CountDownLatch(1);
    Pid hog =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              go.await(); // until all is in the mailbox
              self.receive(); // takes what has come
              self.context().send(other, "step"); // on this worker
              int received = 1;
              for (; received < 1_000 && !othersHaveRun.get(); received++) {
                self.receive();
                long end = System.nanoTime() + MILLISECOND;
                while (System.nanoTime() - end < 0) {
                  Thread.onSpinWait();
                }
              }
              return received;
            }));
    for (int i = 0; i < 1_000; i++) {
      runtime.send(hog, i);
    }
    go.countDown();
    // one step is given 128; it looks at the clock with each 16th, and a run goes on for two turns
    assertThat((int) Kit.exit(runtime, hog).result()).isLessThan(100);
  }

  @Test
  void body_thatIsPinned_goesOn() throws Exception {
    Pid sink =
        runtime.spawn(
            Kit.resting(), StartOptions.defaults().withMailbox(100, MailboxPolicy.DROP_NEWEST));
    Pid hog =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Pinned.self = self;
              Pinned.sink = sink;
              return Pinned.Initialiser.SENT;
            }));
    assertThat(Kit.exit(runtime, hog).result()).isEqualTo(Pinned.SENDS);
  }

  /// Sends in the initialiser of a class, where a body cannot be taken off its worker.
  private static final class Pinned {
    static final int SENDS = 2_000;
    static volatile CoroutineProcess self;
    static volatile Pid sink;

    static final class Initialiser {
      static final int SENT = send();

      private static int send() {
        long end = System.nanoTime() + 2 * MILLISECOND;
        int sent = 0;
        for (; sent < SENDS; sent++) {
          var _ = self.context().offer(sink, sent);
        }
        while (System.nanoTime() - end < 0) {
          var _ = self.context().offer(sink, sent);
        }
        return sent;
      }
    }
  }
}
