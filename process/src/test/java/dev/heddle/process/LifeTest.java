// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Starting, stepping and ending.
@Timeout(300)
class LifeTest {
  private ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private void restart(ProcessRuntimeBuilder how) {
    runtime.close();
    runtime = how.start();
  }

  /// Steps so many times, at once each, then ends with what it was given.
  private static Process counting(int steps, Object result) {
    AtomicInteger left = new AtomicInteger(steps);
    return (_, out) -> {
      if (left.decrementAndGet() >= 0) {
        out.continueNow();
      } else {
        out.done(result);
      }
    };
  }

  private static final class Closing implements Process {
    final AtomicInteger closed = new AtomicInteger();
    private final Process body;

    Closing(Process body) {
      this.body = body;
    }

    @Override
    public void init(ProcessContext context, String method, @Nullable Object input)
        throws Exception {
      body.init(context, method, input);
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
      body.step(events, out);
    }

    @Override
    public void close() throws Exception {
      closed.incrementAndGet();
      body.close();
    }
  }

  @Test
  @Tag("P3")
  @Tag("proc-22")
  @Tag("proc-24")
  @Tag("proc-35")
  void manyProcesses_allRunToTheirEnd() {
    List<Pid> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(runtime.spawn(counting(100, i)));
    }
    for (int i = 0; i < 100; i++) {
      Exit exit = Kit.exit(runtime, all.get(i));
      assertThat(exit.reason()).isIn(Exit.Reason.NORMAL, Exit.Reason.NOT_FOUND);
    }
  }

  @Test
  @Tag("P1")
  void result_isWhatDoneWasGiven() {
    Pid pid = runtime.spawn(Kit.untilMessage());
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "bye");
    assertThat(Kit.get(exit)).isEqualTo(new Exit(pid, Exit.Reason.NORMAL, "bye", null));
  }

  @Test
  @Tag("P1")
  void entryPoints_areNamed_andAWrongOneIsRefused() {
    AtomicInteger closed = new AtomicInteger();
    Process two =
        new Process() {
          private String with = "";

          @Override
          public Set<String> entryPoints() {
            return Set.of("add", "drop");
          }

          @Override
          public void init(ProcessContext context, String method, @Nullable Object input) {
            with = method + " " + input;
          }

          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {
            if (!events.isEmpty()) {
              out.done(with);
            }
          }

          @Override
          public void close() {
            closed.incrementAndGet();
          }
        };
    assertThatThrownBy(() -> runtime.spawn(two))
        .isInstanceOf(UnknownEntryPointException.class)
        .hasMessage("no entry point 'run'; this process has [add, drop]");
    assertThat(closed).hasValue(1);
    Pid pid = runtime.spawn(two, StartOptions.defaults().withEntryPoint("drop").withInput(7));
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "go");
    assertThat(Kit.get(exit).result()).isEqualTo("drop 7");
    assertThat(closed).hasValue(2);
  }

  @Test
  @Tag("proc-26")
  void executions_areCounted_byWorker() throws Exception {
    restart(ProcessRuntime.builder().workers(2));
    CountDownLatch ended = new CountDownLatch(1);
    Pid pid = runtime.spawn(counting(5, "x"));
    var _ = runtime.whenExited(pid).thenRun(ended::countDown);
    assertThat(ended.await(Kit.GUARD_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(runtime.workers()).hasSize(2);
    assertThat(runtime.workers().stream().mapToLong(WorkerCounters::executed).sum()).isPositive();
  }

  @Test
  @Tag("proc-28")
  @Tag("proc-30")
  @Tag("proc-32")
  void startAndEnd_areReported_andCloseIsCalledOnce() throws Exception {
    int count = 1000;
    Queue<Pid> started = new ConcurrentLinkedQueue<>();
    CountDownLatch completed = new CountDownLatch(count);
    restart(
        ProcessRuntime.builder()
            .workers(2)
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) {
                    started.add(pid);
                  }

                  @Override
                  public void onExit(Exit exit) {
                    completed.countDown();
                  }
                }));
    List<Closing> all = new ArrayList<>();
    List<Pid> pids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Closing process = new Closing(counting(3, i));
      all.add(process);
      pids.add(runtime.spawn(process));
    }
    assertThat(completed.await(Kit.GUARD_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(started).containsExactlyElementsOf(pids);
    assertThat(all).allSatisfy(process -> assertThat(process.closed).hasValue(1));
    for (Pid pid : pids) {
      assertThat(runtime.offer(pid, "late")).isEqualTo(SendResult.NOT_FOUND);
    }
  }

  @Test
  @Tag("proc-31")
  @Tag("proc-67")
  void context_knowsTheEnd() {
    var seen = new java.util.concurrent.CompletableFuture<ProcessContext>();
    Pid pid = runtime.spawn(Kit.process((self, _, _) -> seen.complete(self)));
    ProcessContext context = Kit.get(seen);
    assertThat(context.isEnded()).isFalse();
    var exit = runtime.whenExited(pid);
    runtime.terminate(pid);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(context.isEnded()).isTrue();
  }

  @Test
  @Tag("proc-38")
  @Tag("proc-46")
  void limit_refusesOneMore_untilOneEnds() {
    restart(ProcessRuntime.builder().workers(1).maxProcesses(2));
    Pid one = runtime.spawn(Kit.untilMessage());
    runtime.spawn(Kit.resting());
    assertThatThrownBy(() -> runtime.spawn(Kit.resting()))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("max processes exceeded: 2");
    var exit = runtime.whenExited(one);
    runtime.send(one, "end");
    Kit.get(exit);
    assertThat(runtime.spawn(Kit.resting())).isNotEqualTo(one);
  }

  @Test
  @Tag("proc-42")
  @Tag("proc-215")
  void listenerThatRefuses_failsTheStart_andTheProcessIsClosedOnce() {
    restart(
        ProcessRuntime.builder()
            .workers(1)
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) throws IOException {
                    throw new IOException("no room");
                  }
                }));
    Closing process = new Closing(Kit.resting());
    assertThatThrownBy(() -> runtime.spawn(process))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage("no room");
    assertThat(process.closed).hasValue(1);
  }

  /// Says nothing about itself, not even to a log.
  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new AssertionError("no message");
    }
  }

  @Test
  @Tag("proc-213")
  void throwableThatCannotBeLogged_endsItsProcess_andNothingElse() {
    restart(ProcessRuntime.builder().workers(1));
    RuntimeException bad = new Unprintable();
    Process failsInStepAndClose =
        new Process() {
          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {
            throw bad;
          }

          @Override
          public void close() {
            throw bad;
          }
        };
    Exit exit = Kit.exit(runtime, runtime.spawn(failsInStepAndClose));
    assertThat(exit.cause() == bad).isTrue(); // it cannot be described by an assertion either
    Pid next = runtime.spawn(Kit.untilMessage());
    var end = runtime.whenExited(next);
    runtime.send(next, "alive");
    assertThat(Kit.get(end).result()).isEqualTo("alive");
  }

  @Test
  @Tag("proc-42")
  void refusedStart_ofALinkedChild_leavesItsParentAlone() {
    restart(
        ProcessRuntime.builder()
            .workers(1)
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) throws IOException {
                    if (options.isLinked()) {
                      throw new IOException("no room");
                    }
                  }
                }));
    AtomicInteger refused = new AtomicInteger();
    Pid parent =
        runtime.spawn(
            Kit.process((self, _, out) -> {
              try {
                self.spawn(Kit.resting(), StartOptions.defaults().linked().monitored());
              } catch (StartRefusedException _) {
                refused.incrementAndGet();
              }
              out.done("goes on");
            }));
    Exit exit = Kit.exit(runtime, parent);
    assertThat(refused).hasValue(1);
    assertThat(exit).isEqualTo(new Exit(parent, Exit.Reason.NORMAL, "goes on", null));
  }

  @Test
  @Tag("proc-43")
  @Tag("proc-213")
  void whateverAProcessThrows_endsItAlone() {
    Pid witness = runtime.spawn(Kit.untilMessage());
    Error fault = new StackOverflowError("step failed");
    Closing failing =
        new Closing((_, _) -> {
          throw fault;
        });
    Closing worse =
        new Closing(
            new Process() {
              @Override
              public void init(ProcessContext context, String method, @Nullable Object input)
                  throws IOException {
                throw new IOException("init failed");
              }

              @Override
              public void step(List<ProcessEvent> events, StepOutput out) {}

              @Override
              public void close() {
                throw new IllegalStateException("close failed");
              }
            });
    List<Exit> exits = new ArrayList<>();
    for (Process process : List.of(failing, worse)) {
      Pid parent = runtime.spawn(Kit.resting());
      exits.add(watchFromTheStart(process));
      assertThat(parent).isNotNull();
    }
    assertThat(exits.get(0).reason()).isEqualTo(Exit.Reason.FAILED);
    assertThat(exits.get(0).cause()).isSameAs(fault);
    assertThat(exits.get(1).cause()).hasMessage("init failed");
    assertThat(failing.closed).hasValue(1);
    assertThat(worse.closed).hasValue(1);
    var exit = runtime.whenExited(witness);
    runtime.send(witness, "still here");
    assertThat(Kit.get(exit).result()).isEqualTo("still here");
  }

  /// Starts a process that may end at once, and returns how it ended.
  private Exit watchFromTheStart(Process process) {
    var exit = new java.util.concurrent.CompletableFuture<Exit>();
    runtime.spawn(
        Kit.process((self, events, out) -> {
          if (events.isEmpty()) {
            self.spawn(process, StartOptions.defaults().monitored());
          } else if (events.getFirst().data() instanceof ProcessSignal.Down down) {
            exit.complete(down.exit());
            out.done();
          }
        }));
    return Kit.get(exit);
  }

  @Test
  @Tag("proc-40")
  @Tag("proc-119")
  @Tag("proc-124")
  void afterTheShutdown_startsAndSendsAreRefused() {
    Pid pid = runtime.spawn(Kit.resting());
    runtime.close();
    assertThatThrownBy(() -> runtime.spawn(Kit.resting()))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("shutting down");
    assertThat(runtime.offer(pid, "x")).isEqualTo(SendResult.CLOSED);
    assertThatThrownBy(() -> runtime.terminate(pid)).isInstanceOf(SendFailedException.class);
    runtime.close();
  }

  @Test
  @Tag("proc-66")
  void terminate_ofAnUnknownPid_saysSo() {
    assertThatThrownBy(() -> runtime.terminate(new Pid("", "heddle", 999, 1)))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("process not found");
  }

  @Test
  @Tag("proc-63")
  @Tag("proc-64")
  void terminate_endsAProcessThatRests_andOneThatWaitsForACommand() {
    restart(
        ProcessRuntime.builder()
            .workers(1)
            .handler(Kit.Call.class, dev.heddle.process.CommandHandler.inline((_, _) -> {})));
    Pid resting = runtime.spawn(Kit.resting());
    Pid blocked =
        runtime.spawn((_, out) -> {
          out.execute(1, new Kit.Call("never"));
          out.awaitCommands();
        });
    for (Pid pid : List.of(resting, blocked)) {
      var exit = runtime.whenExited(pid);
      runtime.terminate(pid);
      assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
      assertThat(Kit.get(exit).cause()).hasMessage("process terminated");
      assertThat(runtime.offer(pid, "x")).isEqualTo(SendResult.NOT_FOUND);
    }
  }

  @Test
  @Tag("P1")
  void pidOfAnEndedProcess_keepsNothingThatItWasStartedWith() {
    List<Pid> kept = new ArrayList<>();
    List<WeakReference<Object>> given = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Object input = new int[] {i};
      Object attribute = new int[] {i};
      given.add(new WeakReference<>(input));
      given.add(new WeakReference<>(attribute));
      Pid pid =
          runtime.spawn(
              (_, out) -> out.done(),
              StartOptions.defaults().withInput(input).withAttributes(Map.of("key", attribute)));
      Kit.exit(runtime, pid);
      kept.add(pid);
    }
    while (given.stream().anyMatch(each -> each.get() != null)) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      System.gc();
    }
    assertThat(kept).allSatisfy(pid -> assertThat(runtime.process(pid)).isNull());
  }
}
