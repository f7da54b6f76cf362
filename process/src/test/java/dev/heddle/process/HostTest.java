// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A runtime as the host of its processes: what it refuses, whom it tells, in which order.
@Timeout(300)
class HostTest {
  private static final int COLLECTIONS = 100; // many times what a weak reference needs

  /// Writes down what it is told; refuses those whose input is a failure.
  private final class Diary implements ProcessListener {
    final BlockingQueue<String> pages = Kit.queue();

    @Override
    public void onStart(Pid pid, StartOptions options) throws Exception {
      pages.add("start " + options.name() + " is " + runtime.whereIs("" + options.name()));
      if (options.input() instanceof Exception refusal) {
        throw refusal;
      }
    }

    @Override
    public void onExit(Exit exit) {
      pages.add("end " + exit.reason());
    }
  }

  private final Diary diary = new Diary();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(2).node("n1").maxProcesses(10).listener(diary).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private static StartOptions named(String name) {
    return StartOptions.defaults().withName(name);
  }

  /// What a process sees as the failure of a command.
  private static Throwable failure(ProcessRuntime in, ProcessCommand<?> processCommand) {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    in.spawn((events, out) -> {
      if (events.isEmpty()) {
        out.execute(1, processCommand);
      } else {
        failure.complete(java.util.Objects.requireNonNull(events.getFirst().error()));
        out.done();
      }
    });
    return Kit.get(failure);
  }

  // ---- starts ----

  @Test
  @Tag("proc-120")
  void pid_carriesTheNode() {
    assertThat(runtime.spawn(Kit.resting()).toString()).startsWith("{n1@heddle|");
  }

  @Test
  @Tag("proc-120")
  @Tag("proc-123")
  void refusalOfTheListener_isThrownAsItIs_andLeavesNothing() {
    RuntimeException refusal = new RuntimeException("not today");
    assertThatThrownBy(() -> runtime.spawn(Kit.resting(), named("db").withInput(refusal)))
        .isSameAs(refusal);
    assertThat(runtime.whereIs("db")).isNull();
    assertThat(runtime.processes()).isEmpty();
    Pid next = runtime.spawn(Kit.resting(), named("db"));
    assertThat(runtime.whereIs("db")).isEqualTo(next);
  }

  @Test
  @Tag("proc-108")
  @Tag("proc-120")
  void startsThatCannotBe_sayWhy_toProcessesToo() {
    Process walker =
        new Process() {
          @Override
          public Set<String> entryPoints() {
            return Set.of("walk");
          }

          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {}
        };
    assertThat(failure(runtime, Commands.run(walker, StartOptions.defaults())))
        .isInstanceOf(UnknownEntryPointException.class)
        .hasMessageContaining("this process has [walk]");
    StartOptions refused = StartOptions.defaults().withInput(new IOException("no room"));
    assertThat(failure(runtime, Commands.run(Kit.resting(), refused))).hasMessage("no room");
    try (ProcessRuntime small = ProcessRuntime.builder().workers(1).maxProcesses(1).start()) {
      assertThat(failure(small, Commands.run(Kit.resting(), StartOptions.defaults())))
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContaining("max processes exceeded: 1");
    }
    assertThatThrownBy(() -> Commands.run(Kit.resting(), named("db")))
        .hasMessageContaining("'db' may belong to another one");
  }

  @Test
  @Tag("proc-152")
  void startOptionThatCannotBeMet_failsTheStart() {
    Pid gone = runtime.spawn((_, out) -> out.done());
    Kit.exit(runtime, gone);
    AtomicInteger closed = new AtomicInteger();
    Process child =
        new Process() {
          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {}

          @Override
          public void close() {
            closed.incrementAndGet();
          }
        };
    for (StartOptions options :
        List.of(StartOptions.defaults().linked(), StartOptions.defaults().monitored())) {
      assertThatThrownBy(() -> runtime.spawn(child, options.withParent(gone)))
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContaining("the parent has ended: " + gone);
      assertThatThrownBy(() -> runtime.spawn(child, options))
          .hasMessageContaining("give the options a parent");
    }
    assertThat(closed).hasValue(4);
  }

  @Test
  @Tag("proc-215")
  void processThatIsNeverStarted_isClosed_whyeverThatIs() {
    AtomicInteger closed = new AtomicInteger();
    Process child =
        new Process() {
          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {}

          @Override
          public void close() {
            closed.incrementAndGet();
          }
        };
    ProcessRuntime small = ProcessRuntime.builder().workers(1).maxProcesses(1).start();
    assertThatThrownBy(() -> small.spawn(child, StartOptions.defaults().withEntryPoint("fly")))
        .isInstanceOf(UnknownEntryPointException.class);
    assertThat(closed).hasValue(1);
    small.spawn(Kit.resting());
    assertThatThrownBy(() -> small.spawn(child)).hasMessageContaining("max processes exceeded");
    assertThat(closed).hasValue(2);
    small.close();
    assertThatThrownBy(() -> small.spawn(child)).isInstanceOf(StartRefusedException.class);
    assertThat(closed).hasValue(3);
  }

  @Test
  @Tag("proc-136")
  void sizesThatCannotBe_areRefused() {
    assertThatThrownBy(() -> ProcessRuntime.builder().workers(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> ProcessRuntime.builder().maxProcesses(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> StartOptions.defaults().withMailbox(0, MailboxPolicy.REJECT))
        .hasMessage("a mailbox holds at least one message: 0");
    assertThatThrownBy(() -> runtime.mailbox(-1)).hasMessageContaining("-1");
  }

  // ---- who is told, and when ----

  @Test
  @Tag("proc-127")
  void listener_isNotifiedOfAStart_whenNameAndTiesAreThere_andOfItsEnd() throws Exception {
    Pid pid = runtime.spawn(Kit.untilMessage(), named("db"));
    assertThat(Kit.take(diary.pages)).isEqualTo("start db is " + pid);
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "end");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(Kit.take(diary.pages)).isEqualTo("end NORMAL");
  }

  @Test
  @Tag("proc-127")
  void listener_isNotNotifiedOfWhatWasRefusedBefore_norOfTheEndOfWhatItRefused() throws Exception {
    assertThatThrownBy(() -> runtime.spawn(Kit.resting(), named("a").linked()))
        .isInstanceOf(StartRefusedException.class);
    assertThatThrownBy(
            () -> runtime.spawn(Kit.resting(), named("b").withInput(new IOException("no"))))
        .isInstanceOf(StartRefusedException.class);
    Pid owner = runtime.spawn(Kit.resting(), named("c"));
    assertThat(runtime.spawn(Kit.resting(), named("c"))).isEqualTo(owner); // not started
    runtime.close();
    List<String> told = new ArrayList<>();
    diary.pages.drainTo(told);
    assertThat(told).hasSize(3).last().isEqualTo("end SHUTDOWN");
    assertThat(told.get(0)).startsWith("start b");
    assertThat(told.get(1)).startsWith("start c");
  }

  @Test
  @Tag("proc-154")
  void end_isReportedToWatchers_withItsCause_andThePidAndNamesAreGone() {
    IllegalStateException fault = new IllegalStateException("boom");
    CompletableFuture<Exit> told = new CompletableFuture<>();
    CompletableFuture<Pid> there = new CompletableFuture<>();
    Process failing =
        Kit.process((self, events, _) -> {
          if (events.isEmpty()) {
            self.register("store");
            there.complete(self.self());
          } else {
            throw fault;
          }
        });
    runtime.spawn(
        Kit.process((self, events, out) -> {
          if (events.isEmpty()) {
            self.spawn(failing, named("db").monitored());
          } else if (events.getFirst().data() instanceof ProcessSignal.Down down) {
            told.complete(down.exit());
            out.done();
          }
        }));
    Pid pid = Kit.get(there);
    assertThat(runtime.whereIs("store")).isEqualTo(pid);
    runtime.send(pid, "fail");
    assertThat(Kit.get(told)).isEqualTo(new Exit(pid, Exit.Reason.FAILED, null, fault));
    assertThat(runtime.whereIs("db")).isNull();
    assertThat(runtime.whereIs("store")).isNull();
    assertThat(runtime.offer(pid, "late")).isEqualTo(SendResult.NOT_FOUND);
  }

  @Test
  @Tag("proc-144")
  void end_whoseLastMessageHasNoWay_isReportedAllTheSame() {
    runtime.connect(
        "n2",
        (_, _) -> {
          throw new IllegalStateException("the wire is cut");
        });
    CompletableFuture<SendResult> sent = new CompletableFuture<>();
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              if (!events.isEmpty()) {
                sent.complete(self.offer(new Pid("n2", "b", 1, 1), "bye"));
                out.execute(1, Commands.send(new Pid("n2", "b", 1, 1), "bye again"));
                out.done("done");
              }
            }));
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "end");
    assertThat(Kit.get(exit)).isEqualTo(new Exit(pid, Exit.Reason.NORMAL, "done", null));
    assertThat(Kit.get(sent)).isEqualTo(SendResult.UNREACHABLE);
  }

  @Test
  void peerThatThrowsAnError_isUnreachable_forEverySender() {
    runtime.connect(
        "n9",
        (_, _) -> {
          throw new StackOverflowError("the wire is too long");
        });
    assertThat(runtime.offer(new Pid("n9", "b", 1, 1), "x")).isEqualTo(SendResult.UNREACHABLE);
  }

  // ---- ends from outside ----

  @Test
  @Tag("proc-68")
  void send_rightAfterATerminate_isAcceptedOrNotFound_nothingElse() {
    Set<SendResult> results = new java.util.HashSet<>();
    for (int i = 0; i < 200; i++) {
      Pid pid = runtime.spawn(Kit.resting());
      var exit = runtime.whenExited(pid);
      runtime.terminate(pid);
      results.add(runtime.offer(pid, "x"));
      Kit.get(exit);
      assertThat(runtime.offer(pid, "x")).isEqualTo(SendResult.NOT_FOUND);
    }
    assertThat(results).isSubsetOf(SendResult.ACCEPTED, SendResult.NOT_FOUND);
  }

  @Test
  @Tag("proc-123")
  void placeOfAProcess_isFree_whenItsExitIsReported() {
    try (ProcessRuntime small = ProcessRuntime.builder().workers(2).maxProcesses(1).start()) {
      for (int i = 0; i < 2_000; i++) {
        Pid pid = small.spawn((_, out) -> out.done());
        assertThat(Kit.exit(small, pid)).isNotNull();
      }
    }
  }

  @Test
  @Tag("proc-154")
  void futuresThatAreGivenUp_areForgotten() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Pid starting =
        runtime.spawn(
            new Process() {
              @Override
              public void init(ProcessContext self, String method, @Nullable Object input)
                  throws Exception {
                goOn.await();
              }

              @Override
              public void step(List<ProcessEvent> events, StepOutput out) {}
            });
    var exit = givenUp(runtime.whenExited(starting));
    var started = givenUp(runtime.whenStarted(starting));
    for (int i = 0; i < COLLECTIONS && (exit.get() != null || started.get() != null); i++) {
      System.gc();
    }
    assertThat(exit.get()).isNull();
    assertThat(started.get()).isNull();
    goOn.countDown();
  }

  private static WeakReference<CompletableFuture<?>> givenUp(CompletableFuture<?> future) {
    future.cancel(false);
    return new WeakReference<>(future);
  }

  // ---- many ----

  @Test
  @Tag("proc-47")
  void manyStarts_onEightWorkers_areEachRunOrRefused() throws Exception {
    int starts = 10_000;
    AtomicInteger ran = new AtomicInteger();
    int refused = 0;
    CountDownLatch all = new CountDownLatch(starts);
    try (ProcessRuntime eight = ProcessRuntime.builder().workers(8).maxProcesses(1_000).start()) {
      for (int i = 0; i < starts; i++) {
        try {
          eight.spawn((_, out) -> {
            ran.incrementAndGet();
            all.countDown();
            out.done();
          });
        } catch (StartRefusedException _) {
          refused++;
          all.countDown();
        }
      }
      all.await();
      assertThat(eight.workers()).hasSize(8);
      eight.shutdown(Kit.SOON);
      assertThat(eight.workers().stream().mapToLong(WorkerCounters::executed).sum())
          .isEqualTo(ran.get());
    }
    assertThat(ran.get() + refused).isEqualTo(starts);
  }

  @Test
  @Tag("proc-99")
  void parcel_isWhatWasPutIntoIt_whateverItsMakerDoesLater() {
    List<@Nullable Object> messages = new ArrayList<>();
    messages.add("one");
    messages.add(null);
    var parcel = new Parcel("news", messages);
    messages.clear();
    assertThat(parcel.messages()).containsExactly("one", null);
    assertThatThrownBy(() -> parcel.messages().add("more"))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
