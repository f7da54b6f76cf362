// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.process.RecordedTrace.Entry;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The messages in the trace of a runtime: who has sent them, and which run has received each.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("watch-3")
class RuntimeTraceMessagesTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private Recording record() {
    return ((RuntimeBean) runtime.mxBean()).record();
  }

  @Test
  void messages_areThoseThatWereAccepted() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    Pid full =
        runtime.spawn(
            (events, _) -> {
              if (!events.isEmpty()) {
                inside.countDown();
                held.await();
              }
            },
            StartOptions.defaults().withMailbox(3, MailboxPolicy.REJECT));
    runtime.send(full, "begin");
    inside.await();
    Recording recording = record();
    Pid sender =
        runtime.spawn(
            Kit.process((self, _, out) -> {
              int accepted = 0;
              for (int i = 0; i < 10; i++) {
                accepted += self.offer(full, i) == SendResult.ACCEPTED ? 1 : 0;
              }
              out.done(accepted);
            }));
    Object accepted = Kit.exit(runtime, sender).result();
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();
    held.countDown();

    assertThat(trace.all(TraceKind.MESSAGE, full))
        .hasSize((Integer) accepted)
        .extracting(Entry::other)
        .containsOnly(sender.id());
  }

  @Test
  void messageOfAnotherThread_andTheWakeUp_areOfTheOthers() {
    Pid waiting = runtime.spawn(Kit.untilMessage());
    Kit.awaitIdle(runtime, waiting);
    Recording recording = record();
    runtime.send(waiting, "end");
    Kit.exit(runtime, waiting);
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.MESSAGE, waiting))
        .extracting(Entry::ring, Entry::other)
        .containsExactly(tuple(RecordedTrace.OTHERS, 0L));
    assertThat(trace.all(TraceKind.WAKE, waiting)).hasSizeLessThanOrEqualTo(1);
  }

  /// Also of several in a row, which go together while nobody looks.
  @Test
  void eachMessage_hasTheRunThatReceivedIt() {
    int count = 200;
    int[] got = new int[1];
    Pid receiver =
        runtime.spawn(
            Kit.process((_, events, out) -> {
              got[0] += events.size();
              if (got[0] == count) {
                out.done(1);
              }
            }),
            StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT));
    Kit.awaitIdle(runtime, receiver);
    Recording recording = record();
    Pid sender =
        runtime.spawn(
            Kit.process((self, _, out) -> {
              for (int i = 0; i < count; i++) {
                self.send(receiver, i);
              }
              out.done(1);
            }));
    Kit.exit(runtime, receiver);
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    List<Entry> sent = trace.all(TraceKind.MESSAGE, receiver);
    assertThat(sent)
        .hasSize(count)
        .allSatisfy(message -> {
          assertThat(message.other()).isEqualTo(sender.id());
          assertThat(message.number()).isNotZero();
        });
    assertThat(trace.all(TraceKind.RECEIVED, receiver))
        .extracting(Entry::other) // by rings: it may have gone from one worker to another
        .containsExactlyInAnyOrderElementsOf(sent.stream().map(Entry::number).toList());
  }

  /// Two with the same number would have no arrow.
  @Test
  void messagesOfAllThreads_haveDifferentNumbers() {
    int senders = 20;
    int each = 50;
    int[] got = new int[1];
    Pid receiver =
        runtime.spawn(
            Kit.process((_, events, out) -> {
              got[0] += events.size();
              if (got[0] == (senders + 1) * each) {
                out.done(1);
              }
            }),
            StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT));
    Kit.awaitIdle(runtime, receiver);
    Recording recording = record();
    for (int i = 0; i < senders; i++) {
      runtime.spawn(
          Kit.process((self, _, out) -> {
            IntStream.range(0, each).forEach(message -> self.send(receiver, message));
            out.done(1);
          }));
    }
    IntStream.range(0, each).forEach(message -> runtime.send(receiver, message));
    Kit.exit(runtime, receiver);
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.MESSAGE, receiver))
        .extracting(Entry::number)
        .hasSize((senders + 1) * each)
        .doesNotContain(0L)
        .doesNotHaveDuplicates();
    assertThat(trace.all(TraceKind.RECEIVED, receiver))
        .extracting(Entry::other)
        .doesNotHaveDuplicates();
  }

  @Test
  void bodyThatChoosesMessages_hasThemInItsOrder() {
    Pid choosing =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Object second = self.receive("second"::equals);
              return second + " before " + self.receive();
            }));
    Kit.awaitIdle(runtime, choosing);
    Recording recording = record();
    runtime.send(choosing, "first");
    runtime.send(choosing, "second");
    assertThat(Kit.exit(runtime, choosing).result()).isEqualTo("second before first");
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    List<Entry> sent = trace.all(TraceKind.MESSAGE, choosing);
    assertThat(trace.all(TraceKind.RECEIVED, choosing))
        .extracting(Entry::other)
        .containsExactly(sent.get(1).number(), sent.get(0).number());
  }

  /// It had waited for space, and its message is received before it goes on.
  @Test
  void messageThatHadToWait_isCounted_andNotTakenForAnother() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    Pid full =
        runtime.spawn(
            (events, _) -> {
              if (!events.isEmpty()) {
                inside.countDown();
                held.await();
              }
            },
            StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND));
    runtime.send(full, "begin");
    inside.await();
    runtime.send(full, "fills it");
    Recording recording = record();
    Pid waiting =
        runtime.spawn(CoroutineProcess.ofAction(self -> self.context().send(full, "waits")));
    Kit.awaitState(runtime, waiting, ProcessSnapshot.State.BLOCKED, ProcessSnapshot.State.IDLE);
    held.countDown();
    Kit.exit(runtime, waiting);
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.MESSAGE, full))
        .singleElement()
        .satisfies(message -> assertThat(message.number()).isZero());
  }
}
