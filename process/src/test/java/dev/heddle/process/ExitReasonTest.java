// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.Exit.Reason;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Why a process has ended: on purpose, by a reason of the program's own, by another's end.
@Timeout(300)
class ExitReasonTest {
  private static final int LINE = 10_000;

  /// A reason of the program's own.
  private record SoldOut(String article) {}

  private static final SoldOut TEA = new SoldOut("tea");

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.shutdown(Kit.SOON);
  }

  /// Ends with the first message as `how` says.
  private Pid spawn(Kit.Step how) {
    return runtime.spawn(
        Kit.process((self, events, out) -> {
          if (!events.isEmpty()) {
            how.step(self, events, out);
          }
        }));
  }

  /// Is linked to another, and ends with it.
  private Pid linkedTo(Pid other) throws InterruptedException {
    CountDownLatch linked = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            Kit.process((self, _, _) -> {
              if (linked.getCount() > 0) {
                self.link(other);
                linked.countDown();
              }
            }));
    linked.await();
    return pid;
  }

  private void awaitIdle(Pid pid) {
    while (Objects.requireNonNull(runtime.process(pid)).state() != ProcessSnapshot.State.IDLE) {
      Thread.onSpinWait();
    }
  }

  private Exit afterMessage(Pid pid) {
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "end");
    return Kit.get(exit);
  }

  @Test
  @Tag("proc-241")
  void reasonOfItsOwn_ofAStep_aBodyAndAnInit_isInTheExit() {
    Exit ofStep = afterMessage(spawn((_, _, out) -> out.fail(TEA)));
    assertThat(ofStep.reason()).isEqualTo(Reason.FAILED);
    assertThat(ofStep.detail()).isSameAs(TEA);
    assertThat(ofStep.cause()).hasMessage("the process has failed: " + TEA);
    Exception why = new Exception("nobody has any");
    Exit ofBody =
        Kit.exit(
            runtime,
            runtime.spawn(
                CoroutineProcess.of(_ -> {
                  throw new ProcessExitException(TEA, why);
                })));
    assertThat(ofBody.reason()).isEqualTo(Reason.FAILED);
    assertThat(ofBody.detail()).isSameAs(TEA);
    assertThat(ofBody.cause()).hasCause(why);
    assertThat(ofBody.isFailure()).isTrue();
  }

  @Test
  @Tag("proc-241")
  void reasonOfItsOwn_travelsOverLinks_asItIs() throws Exception {
    Pid first = spawn((_, _, out) -> out.fail(TEA));
    Pid second = linkedTo(first);
    Pid third = linkedTo(second);
    var exit = runtime.whenExited(third);
    afterMessage(first);
    assertThat(Kit.get(exit).reason()).isEqualTo(Reason.LINKED);
    assertThat(Kit.get(exit).detail()).isSameAs(TEA);
    assertThat(Kit.get(exit).origin()).isEqualTo(first);
  }

  @Test
  @Tag("proc-242")
  void endOnPurpose_isNoFailure_andStaysOneOverLinks() throws Exception {
    Pid first = spawn((_, _, out) -> out.shutdown(TEA));
    Pid second = linkedTo(first);
    var exit = runtime.whenExited(second);
    Exit own = afterMessage(first);
    assertThat(own).isEqualTo(new Exit(first, Reason.SHUTDOWN, null, null, TEA));
    assertThat(own.isFailure()).isFalse();
    assertThat(own.isAbnormal()).isTrue();
    assertThat(Kit.get(exit).reason()).isEqualTo(Reason.SHUTDOWN);
    assertThat(Kit.get(exit).detail()).isSameAs(TEA);
    assertThat(Kit.get(exit).origin()).isEqualTo(first);
    Exit ofBody =
        Kit.exit(
            runtime,
            runtime.spawn(
                CoroutineProcess.of(_ -> {
                  throw ProcessExitException.shutdown();
                })));
    assertThat(ofBody.reason()).isEqualTo(Reason.SHUTDOWN);
    assertThat(ofBody.detail()).isNull();
  }

  @Test
  @Tag("proc-242")
  void cancel_ofOneThatDoesNotTrap_isAnEndOnPurpose_terminateIsNone() {
    Pid asked = runtime.spawn(Kit.resting());
    var exit = runtime.whenExited(asked);
    awaitIdle(asked); // it is to be woken
    runtime.cancel(asked, "closing time", Duration.ofHours(1));
    assertThat(Kit.get(exit).reason()).isEqualTo(Reason.SHUTDOWN);
    assertThat(Kit.get(exit).cause()).hasMessage("process cancelled: closing time");
    Pid ended = runtime.spawn(Kit.resting());
    var other = runtime.whenExited(ended);
    awaitIdle(ended);
    runtime.terminate(ended);
    assertThat(Kit.get(other).reason()).isEqualTo(Reason.TERMINATED);
    assertThat(Kit.get(other).isFailure()).isTrue();
  }

  @Test
  @Tag("proc-243")
  void requestExit_endsOneThatDoesNotTrap_withThatReason() {
    Pid target = runtime.spawn(Kit.resting());
    var exit = runtime.whenExited(target);
    Pid asker = spawn((self, _, _) -> self.requestExit(target, TEA));
    runtime.send(asker, "now");
    assertThat(Kit.get(exit).reason()).isEqualTo(Reason.SHUTDOWN);
    assertThat(Kit.get(exit).detail()).isSameAs(TEA);
    assertThat(Kit.get(exit).cause()).hasMessage(asker + " has asked it to end: " + TEA);
    assertThatThrownBy(() -> runtime.requestExit(target.address(), TEA))
        .isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("proc-243")
  void requestExit_isASignal_forOneThatTraps() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    CountDownLatch ready = new CountDownLatch(1);
    Pid target =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.context().trapExits();
              ready.countDown();
              got.add(Objects.requireNonNull(self.receive()));
              got.add(Objects.requireNonNull(self.receive()));
              return "lives until it wants to end";
            }));
    ready.await();
    var exit = runtime.whenExited(target);
    Pid asker = spawn((self, _, _) -> self.requestExit(target, TEA));
    runtime.send(asker, "now");
    assertThat(Kit.take(got)).isEqualTo(new ProcessSignal.ExitRequest(asker, TEA));
    runtime.requestExit(target, TEA);
    assertThat(Kit.take(got)).isEqualTo(new ProcessSignal.ExitRequest(null, TEA));
    assertThat(Kit.get(exit).result()).isEqualTo("lives until it wants to end");
  }

  @Test
  @Tag("proc-246")
  void deadlineOfACancel_isATimeLeft_thatRunsDownToNothing() {
    ProcessSignal.Cancel over = ProcessSignal.Cancel.within("at once", Duration.ZERO);
    assertThat(over.remaining()).isZero();
    ProcessSignal.Cancel far =
        ProcessSignal.Cancel.within("some day", Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(far.remaining()).isGreaterThan(Duration.ofDays(36_525));
    assertThat(far.deadlineNanos() - System.nanoTime()).isPositive();
  }

  @Test
  @Tag("proc-246")
  void child_ofASupervisorThatIsCancelled_hasNoMoreTimeThanThat() throws Exception {
    BlockingQueue<Duration> got = Kit.queue();
    CountDownLatch ready = new CountDownLatch(1);
    Pid supervisor =
        runtime.spawn(
            Supervisor.builder()
                .child(
                    ChildSpec.of(
                            "child",
                            () ->
                                CoroutineProcess.of(self -> {
                                  self.context().trapExits();
                                  ready.countDown();
                                  got.add(self.receive(ProcessSignal.Cancel.class).remaining());
                                  return null;
                                }))
                        .withShutdown(Duration.ofDays(2)))
                .build());
    ready.await();
    runtime.cancel(supervisor, "closing time", Duration.ofHours(1));
    assertThat(Kit.take(got)).isLessThanOrEqualTo(Duration.ofHours(1));
  }

  @Test
  @Tag("proc-245")
  void lineOfLinks_howeverLong_hasOneCause_andSaysWhoWasFirst() throws Exception {
    Pid first =
        spawn((_, _, _) -> {
          throw new IllegalStateException("boom");
        });
    CountDownLatch linked = new CountDownLatch(LINE);
    Pid last = first;
    for (int i = 0; i < LINE; i++) {
      Pid before = last;
      last =
          runtime.spawn(
              new Process() {
                @Override
                public void init(ProcessContext self, String method, @Nullable Object input) {
                  self.link(before);
                  linked.countDown();
                }

                @Override
                public void step(java.util.List<ProcessEvent> events, StepOutput out) {}
              });
    }
    linked.await();
    var exit = runtime.whenExited(last);
    runtime.send(first, "fail");
    Exit end = Kit.get(exit);
    Throwable cause = Objects.requireNonNull(end.cause());
    assertThat(cause).isInstanceOf(LinkedExitException.class).hasMessageContaining("linked to ");
    assertThat(cause.getCause()).hasMessage("boom").hasNoCause();
    assertThat(end.origin()).isEqualTo(first);
    StringWriter printed = new StringWriter();
    cause.printStackTrace(new PrintWriter(printed));
    assertThat(printed.toString()).contains("that began with " + first, "boom");
  }
}
