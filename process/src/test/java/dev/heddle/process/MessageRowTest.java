// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.remote.LocalProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Messages that a connection puts into a mailbox together.
@Timeout(300)
class MessageRowTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
  private final LocalProcesses local = LocalProcesses.of(runtime);
  private final BlockingQueue<Object> got = Kit.queue();
  private final CountDownLatch gate = new CountDownLatch(1);

  @AfterEach
  void end() {
    gate.countDown();
    runtime.close();
  }

  /// A process in a step that lasts until the gate opens; then it passes on the events of each
  /// step, as a list.
  private Pid busy(StartOptions options) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    Pid pid =
        runtime.spawn(
            Kit.process((_, events, _) -> {
              if (begun.complete(null)) {
                gate.await();
              }
              List<Object> all = new ArrayList<>();
              events.forEach(event -> all.add(String.valueOf(event.data())));
              if (!all.isEmpty()) {
                got.add(all);
              }
            }),
            options);
    Kit.get(begun);
    return pid;
  }

  private static Object[] row(int from, int until) {
    return IntStream.range(from, until).boxed().toArray();
  }

  private List<Object> taken(int messages) throws InterruptedException {
    List<Object> all = new ArrayList<>();
    while (all.size() < messages) {
      all.addAll((List<?>) got.take());
    }
    return all;
  }

  private static StartOptions mailbox(int messages, MailboxPolicy policy) {
    return StartOptions.defaults().withMailbox(messages, policy);
  }

  @Test
  @Tag("P9")
  void row_comesInOrder_betweenWhatIsSentBeforeAndAfter() throws Exception {
    Pid to = busy(StartOptions.defaults());
    runtime.send(to, 0);
    assertThat(local.offerAll(to, row(1, 9))).isEqualTo(8);
    runtime.send(to, 9);
    gate.countDown();
    assertThat(taken(10)).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
  }

  @Test
  @Tag("P9")
  void row_toAProcessThatRests_wakesItForAllOfThem() throws Exception {
    Pid to = busy(mailbox(100, MailboxPolicy.REJECT));
    gate.countDown();
    while (Objects.requireNonNull(runtime.process(to)).state() != ProcessSnapshot.State.IDLE) {
      Thread.onSpinWait();
    }
    assertThat(local.offerAll(to, row(0, 50))).isEqualTo(50);
    assertThat(taken(50)).hasSize(50);
    assertThat(got).isEmpty(); // one step took them all
  }

  @Test
  @Tag("proc-214")
  void row_longerThanTheSpace_isAcceptedInPart_andTheNextOneIsRefusedAlone() throws Exception {
    Pid to = busy(mailbox(3, MailboxPolicy.REJECT));
    assertThat(local.offerAll(to, row(0, 5))).isEqualTo(3);
    assertThat(local.offer(to, 3)).isEqualTo(SendResult.FULL);
    gate.countDown();
    assertThat(taken(3)).containsExactly("0", "1", "2");
  }

  @Test
  @Tag("proc-214")
  void row_toAMailboxThatDropsTheOldest_leavesTheLatest() throws Exception {
    Pid to = busy(mailbox(3, MailboxPolicy.DROP_OLDEST));
    assertThat(local.offerAll(to, row(0, 5))).isEqualTo(5);
    gate.countDown();
    assertThat(taken(3)).containsExactly("2", "3", "4");
  }

  @Test
  @Tag("proc-214")
  void row_behindASenderThatWaits_isNotAccepted() throws Exception {
    Pid to = busy(mailbox(1, MailboxPolicy.SUSPEND));
    runtime.send(to, 0);
    Pid sender =
        runtime.spawn(
            CoroutineProcess.ofAction(self -> {
              self.context().send(to, 1);
            }));
    CompletableFuture<Exit> sent = runtime.whenExited(sender);
    while (Objects.requireNonNull(runtime.process(sender)).waitsFor() == null) {
      Thread.onSpinWait();
    }
    assertThat(local.offerAll(to, row(2, 4))).isZero();
    gate.countDown();
    assertThat(taken(2)).containsExactly("0", "1");
    Kit.get(sent);
  }

  @Test
  @Tag("P9")
  void row_toAProcessThatHasEnded_orOfAnotherNode_isNotAccepted() {
    Pid to = runtime.spawn(Kit.untilMessage());
    CompletableFuture<Exit> exit = runtime.whenExited(to);
    runtime.send(to, "end");
    Kit.get(exit);
    assertThat(local.offerAll(to, row(0, 2))).isZero();
    assertThat(local.offerAll(new Pid("elsewhere", "main", 1, 1), row(0, 2))).isZero();
  }
}
