// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.ProcessSnapshot.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The mailbox of a sequential body: what it has not received is in there, and counts.
@Timeout(300)
@Tag("P9")
class BodyMailboxTest {
  private static final int BOUND = 3;

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  private record Wanted(int number) {}

  @AfterEach
  void end() {
    runtime.close();
  }

  /// A body that takes nothing but what it wants, until that says how much more of the rest.
  private Pid choosy(MailboxPolicy policy) {
    return runtime.spawn(
        CoroutineProcess.of(self -> {
          List<@Nullable Object> all = new ArrayList<>();
          int count = self.receive(Wanted.class).number();
          for (int i = 0; i < count; i++) {
            all.add(self.receive());
          }
          return all;
        }),
        StartOptions.defaults().withMailbox(BOUND, policy));
  }

  private ProcessSnapshot snapshot(Pid pid) {
    return Objects.requireNonNull(runtime.process(pid));
  }

  /// Waits until it has looked at all that there is.
  private void restsWith(Pid pid, int messages) {
    while (true) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      ProcessSnapshot now = snapshot(pid);
      if (now.state() == State.IDLE && now.mailbox() == messages) {
        return;
      }
      Thread.yield();
    }
  }

  private Pid filled(MailboxPolicy policy) {
    Pid pid = choosy(policy);
    for (int i = 1; i <= BOUND; i++) {
      assertThat(runtime.offer(pid, i)).isEqualTo(SendResult.ACCEPTED);
    }
    restsWith(pid, BOUND);
    return pid;
  }

  @Test
  @Tag("proc-233")
  void whatABodyHasPassedOver_countsToTheBound_andIsReported() {
    Pid pid = filled(MailboxPolicy.REJECT);
    assertThat(runtime.offer(pid, 4)).isEqualTo(SendResult.FULL);
    assertThat(runtime.dump()).contains(pid.toString());
    assertThat(snapshot(pid).mailbox()).isEqualTo(BOUND);
  }

  @Test
  @Tag("proc-233")
  void whatComesForAFullBody_isDropped_whereThatIsThePolicy() {
    Pid pid = filled(MailboxPolicy.DROP_NEWEST);
    assertThat(runtime.offer(pid, 4)).isEqualTo(SendResult.DROPPED);
    assertThat(snapshot(pid).mailbox()).isEqualTo(BOUND);
  }

  @Test
  @Tag("proc-233")
  void receivedMessage_givesItsRoomBack_atOnce() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    CountDownLatch goOn = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              got.add(Objects.requireNonNull(self.receive(m -> "third".equals(m))));
              goOn.await();
              return self.receive();
            }),
            StartOptions.defaults().withMailbox(BOUND, MailboxPolicy.REJECT));
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "first");
    runtime.send(pid, "second");
    runtime.send(pid, "third");
    Kit.take(got);
    while (snapshot(pid).mailbox() > 2) { // it may be about to give it back
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.onSpinWait();
    }
    assertThat(runtime.offer(pid, "fourth")).isEqualTo(SendResult.ACCEPTED);
    assertThat(runtime.offer(pid, "fifth")).isEqualTo(SendResult.FULL);
    goOn.countDown();
    assertThat(Kit.get(exit).result()).isEqualTo("first");
  }

  @Test
  @Tag("proc-234")
  void oldestThatABodyHasNotReceived_isDropped_soThatWhatItWantsGetsIn() {
    Pid pid = filled(MailboxPolicy.DROP_OLDEST);
    var exit = runtime.whenExited(pid);
    runtime.send(pid, 4);
    restsWith(pid, BOUND);
    assertThat(runtime.undelivered()).isEqualTo(1);
    runtime.send(pid, new Wanted(2));
    assertThat(Kit.get(exit).result()).isEqualTo(List.of(3, 4));
    assertThat(runtime.undelivered()).isEqualTo(2);
  }

  /// A body that sends a message, and waits for room.
  private Pid waiting(Pid to, Object message) {
    Pid sender =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.context().send(to, message);
              return "sent";
            }));
    while (!("space in the mailbox of " + to).equals(snapshot(sender).waitsFor())) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
    return sender;
  }

  @Test
  @Tag("proc-233")
  void sender_waitsForABodyThatHasNotReceived() {
    Pid pid = filled(MailboxPolicy.SUSPEND);
    var sent = runtime.whenExited(waiting(pid, "late"));
    assertThat(sent).isNotDone();
    assertThat(snapshot(pid).mailbox()).isEqualTo(BOUND);
    runtime.terminate(pid);
    assertThat(Kit.get(sent).cause()).isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("proc-233")
  @Tag("proc-236")
  void sender_isServed_whenTheBodyHasReceived() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              goOn.await();
              Object first = self.receive();
              end.await();
              return first;
            }),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND));
    runtime.send(pid, "first");
    var sent = runtime.whenExited(waiting(pid, "late"));
    goOn.countDown();
    assertThat(Kit.get(sent).result()).isEqualTo("sent");
    assertThat(snapshot(pid).mailbox()).isEqualTo(1);
    end.countDown();
  }

  @Test
  @Tag("proc-237")
  void senderThatEndsWhileItWaits_sendsNothing_andTheNextIsServed() {
    CountDownLatch goOn = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              goOn.await();
              return List.of(
                  Objects.requireNonNull(self.receive()), Objects.requireNonNull(self.receive()));
            }),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND));
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "first");
    Pid ended = waiting(pid, "never");
    var sent = runtime.whenExited(waiting(pid, "next"));
    runtime.terminate(ended);
    Kit.exit(runtime, ended);
    assertThat(sent).isNotDone();
    goOn.countDown();
    assertThat(Kit.get(exit).result()).isEqualTo(List.of("first", "next"));
    assertThat(Kit.get(sent).result()).isEqualTo("sent");
    assertThat(runtime.undelivered()).isZero();
  }

  @Test
  @Tag("proc-235")
  void whatABodyHasNotReceived_isCountedAtItsEnd_andRequestsAreNotified() {
    Pid pid = choosy(MailboxPolicy.REJECT);
    CompletableFuture<Object> answer = runtime.request(pid, "question");
    runtime.send(pid, "message");
    restsWith(pid, 2);
    var exit = runtime.whenExited(pid);
    runtime.terminate(pid);
    Kit.get(exit);
    assertThat(runtime.undelivered()).isEqualTo(2);
    assertThatThrownBy(() -> Kit.get(answer)).hasCauseInstanceOf(NoReplyException.class);
  }

  @Test
  @Tag("proc-233")
  void signals_ofABody_haveNoBound() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              for (int i = 0; i < 5; i++) {
                self.context().monitor(self.context().spawn((_, out) -> out.done()));
              }
              int downs = 0;
              while (downs < 5) {
                self.receive(ProcessSignal.Down.class);
                downs++;
              }
              return downs;
            }),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.REJECT));
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo(5);
  }

  @Test
  void monitorTakenBack_isNotSeen_alsoWhereABodyHasPassedItsSignalOver() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Pid me = self.context().self();
              Pid other = self.context().spawn((_, out) -> out.done());
              runtime.whenExited(other).get();
              long monitor = self.context().monitor(other);
              self.context().send(me, "wanted");
              self.receive(String.class);
              boolean taken = self.context().demonitor(monitor);
              self.context().send(me, "next");
              return List.of(taken, Objects.requireNonNull(self.receive()));
            }));
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo(List.of(true, "next"));
  }

  @Test
  void bodyWithinAnotherProcess_receivesWhatThatHandsOn() {
    CoroutineProcess inner =
        CoroutineProcess.of(self -> {
          Object wanted = self.receive(Integer.class);
          return List.of(wanted, Objects.requireNonNull(self.receive()));
        });
    Pid pid =
        runtime.spawn(
            new Process() {
              @Override
              public void init(ProcessContext self, String method, @Nullable Object input)
                  throws Exception {
                inner.init(self, method, input);
              }

              @Override
              public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
                inner.step(events, out);
              }

              @Override
              public void close() {
                inner.close();
              }
            });
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "first");
    runtime.send(pid, 2);
    assertThat(Kit.get(exit).result()).isEqualTo(List.of(2, "first"));
  }
}
