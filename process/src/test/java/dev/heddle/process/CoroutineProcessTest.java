// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.DeadlineException;
import dev.heddle.PinnedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Processes whose body is sequential code.
@Timeout(300)
class CoroutineProcessTest extends CoroutineFixture {
  // ---- receiving and calling ----

  @Test
  void receive_takesMessagesInOrder_atAnyCallDepth() {
    Pid pid =
        spawn(self -> {
          List<Object> got = new ArrayList<>();
          for (int depth = 0; depth < 3; depth++) {
            got.add(deep(self, depth * 10));
          }
          return got;
        });
    var exit = runtime.whenExited(pid);
    for (Object message : List.of("a", "b", "c")) {
      runtime.send(pid, message);
    }
    assertThat(Kit.get(exit).result()).isEqualTo(List.of("a", "b", "c"));
  }

  @Test
  void codeWithoutAResult_endsWithNull_afterItHasRun() {
    AtomicInteger ran = new AtomicInteger();
    Exit exit =
        Kit.exit(
            runtime,
            runtime.spawn(
                CoroutineProcess.ofAction(self -> {
                  self.sleep(Duration.ofMillis(1));
                  ran.incrementAndGet();
                })));
    assertThat(exit.reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(exit.result()).isNull();
    assertThat(ran).hasValue(1);
  }

  private static Object deep(CoroutineProcess self, int depth) {
    return depth == 0 ? Objects.requireNonNull(self.receive()) : deep(self, depth - 1);
  }

  @Test
  void selectiveReceive_keepsTheOthersInOrder() {
    Pid pid =
        spawn(self -> {
          Integer number = self.receive(Integer.class);
          Object wanted = self.receive(m -> "c".equals(m));
          return List.of(number, wanted, self.receive(), self.receive(String.class));
        });
    var exit = runtime.whenExited(pid);
    for (Object message : List.of("a", "b", 7, "c")) {
      runtime.send(pid, message);
    }
    assertThat(Kit.get(exit).result()).isEqualTo(List.of(7, "c", "a", "b"));
  }

  @Test
  void receive_withALimit_throwsWhenNothingThatIsWantedComes() {
    Pid pid =
        spawn(self -> {
          Throwable late = catchThrowable(() -> self.receive(Integer.class, Duration.ofMillis(1)));
          return List.of(late, self.receive(DAY), self.context().pendingCommands());
        });
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "text");
    List<?> got = (List<?>) Objects.requireNonNull(Kit.get(exit).result());
    assertThat((Throwable) got.get(0)).isInstanceOf(DeadlineException.class);
    assertThat(got.get(1)).isEqualTo("text");
  }

  @Test
  void waits_withNoTimeLeft_areOver_andTheNextOnesAreWhatTheyAre() {
    Duration late = Duration.ofMillis(-1);
    assertThat(
            result(self -> {
              Throwable received = catchThrowable(() -> self.receive(late));
              Throwable called = catchThrowable(() -> self.execute(new Kit.Call("never"), late));
              self.sleep(Duration.ofMillis(1));
              assertThat(received).isInstanceOf(DeadlineException.class);
              assertThat(called).isInstanceOf(DeadlineException.class);
              return self.context().pendingCommands();
            }))
        .isEqualTo(0);
  }

  @Test
  void call_givesTheResult_orThrowsTheSameObject() {
    assertThat(result(self -> self.execute(Commands.call(() -> 42)))).isEqualTo(42);
    IOException fault = new IOException("boom");
    assertThat(
            failure(self ->
                self.execute(
                    Commands.call(() -> {
                      throw fault;
                    }))))
        .isSameAs(fault);
    assertThat(fault.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(CoroutineProcess.class.getName()));
  }

  @Test
  void call_withALimit_cancelsItsCommand() throws Exception {
    Pid pid = spawn(self -> self.execute(new Kit.Call("never"), Duration.ofMillis(1)));
    Invocation<Object> invocation = Kit.take(asked);
    assertThat(Kit.exit(runtime, pid).cause())
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("never");
    assertThat(invocation.isOpen()).isFalse();
  }

  @Test
  void sleep_isNeverTooShort() {
    assertThat(
            (long)
                Objects.requireNonNull(
                    result(self -> {
                      long start = System.nanoTime();
                      self.sleep(Duration.ofMillis(20));
                      return System.nanoTime() - start;
                    })))
        .isGreaterThanOrEqualTo(20_000_000);
  }

  @Test
  void messagesStayInTheMailbox_whileACommandIsOnItsWay() throws Exception {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> self.execute(new Kit.Call("x")) + "," + self.receive()),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.REJECT));
    var exit = runtime.whenExited(pid);
    Invocation<Object> invocation = Kit.take(asked);
    assertThat(runtime.offer(pid, "first")).isEqualTo(SendResult.ACCEPTED);
    assertThat(runtime.offer(pid, "second")).isEqualTo(SendResult.FULL);
    invocation.complete("answer");
    assertThat(Kit.get(exit).result()).isEqualTo("answer,first");
  }

  @Test
  void messagesStayInTheMailbox_whileTheBodyWaitsInTheJdk() throws Exception {
    BlockingQueue<String> queue = Kit.queue();
    CountDownLatch begun = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              begun.countDown();
              return queue.take() + "," + self.receive();
            }),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.REJECT));
    var exit = runtime.whenExited(pid);
    begun.await();
    assertThat(runtime.offer(pid, "first")).isEqualTo(SendResult.ACCEPTED);
    // neither is seen before the queue gives something: the step that began is over, or deaf
    assertThat(runtime.offer(pid, "second")).isEqualTo(SendResult.FULL);
    queue.add("taken");
    assertThat(Kit.get(exit).result()).isEqualTo("taken,first");
  }

  @Test
  void body_isGivenMethodAndInput_andItsContext() {
    Pid pid =
        runtime.spawn(
            new CoroutineProcess() {
              @Override
              public java.util.Set<String> entryPoints() {
                return java.util.Set.of("walk");
              }

              @Override
              protected Object run(@Nullable Object input) {
                return List.of(entryPoint(), Objects.requireNonNull(input), context().self());
              }
            },
            StartOptions.defaults().withEntryPoint("walk").withInput(5));
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo(List.of("walk", 5, pid));
  }

  @Test
  void process_runsOnce() {
    CoroutineProcess process = CoroutineProcess.of(_ -> "x");
    assertThat(Kit.exit(runtime, runtime.spawn(process)).result()).isEqualTo("x");
    assertThat(Kit.exit(runtime, runtime.spawn(process)).cause())
        .hasMessageContaining("make another one");
  }

  @Test
  void methodsOfTheBody_areRefusedOnOtherThreads() {
    CoroutineProcess[] leaked = {null};
    Pid pid =
        spawn(self -> {
          leaked[0] = self;
          return self.execute(Commands.call(() -> catchThrowable(self::receive)));
        });
    Throwable refused = (Throwable) Kit.exit(runtime, pid).result();
    assertThat(refused)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(pid.toString());
    assertThat(catchThrowable(leaked[0]::receive)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void trappedCancel_isAMessage_andTheCleanUpMayStillWait() {
    CompletableFuture<Pid> ready = new CompletableFuture<>();
    Pid pid =
        spawn(self -> {
          self.context().trapExits();
          ready.complete(self.context().self());
          ProcessSignal.Cancel cancel = self.receive(ProcessSignal.Cancel.class);
          self.sleep(Duration.ofMillis(1));
          return cancel.reason();
        });
    var exit = runtime.whenExited(pid);
    runtime.cancel(Kit.get(ready), "enough", DAY);
    assertThat(Kit.get(exit).result()).isEqualTo("enough");
  }

  // ---- the state machine, by hand ----

  /// A context that knows nothing but its PID and its runtime.
  private ProcessContext contextOf(Pid pid) {
    return (ProcessContext)
        java.lang.reflect.Proxy.newProxyInstance(
            ProcessContext.class.getClassLoader(),
            new Class<?>[] {ProcessContext.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "self" -> pid;
                  case "runtime" -> runtime;
                  case "cancelCommand" -> false;
                  default -> null;
                });
  }

  private static StepOutput step(CoroutineProcess process, ProcessEvent... events)
      throws Exception {
    StepOutput out = new StepOutput();
    process.step(List.of(events), out);
    return out;
  }

  @Test
  @Tag("proc-188")
  void completionWithAnUnknownOrNoTag_isIgnored() throws Exception {
    CoroutineProcess process =
        CoroutineProcess.of(self -> self.receive() + "," + self.execute(new Kit.Call("x")));
    process.init(contextOf(new Pid("", "test", 1, 1)), Process.RUN, null);
    assertThat(step(process).status()).isEqualTo(StepOutput.Status.IDLE);
    assertThat(
            step(process, ProcessEvent.completed(0, "?"), ProcessEvent.completed(9, "?")).status())
        .isEqualTo(StepOutput.Status.IDLE);
    StepOutput calling = step(process, ProcessEvent.message("m"));
    assertThat(calling.status()).isEqualTo(StepOutput.Status.AWAIT_COMMANDS);
    long tag = calling.commandAt(0).tag();
    assertThat(
            step(
                    process,
                    ProcessEvent.completed(tag + 1, "?"),
                    ProcessEvent.completed(0, "?"),
                    ProcessEvent.message("later"))
                .status())
        .isEqualTo(StepOutput.Status.AWAIT_COMMANDS);
    assertThat(step(process, ProcessEvent.completed(tag, "r")).result()).isEqualTo("m,r");
    process.close();
  }

  @Test
  void answerThatIsOnItsWay_whenTheLimitIsOver_isTheResult() throws Exception {
    CoroutineProcess process =
        CoroutineProcess.of(self -> self.execute(new Kit.Call("x"), Duration.ZERO));
    process.init(contextOf(new Pid("", "test", 1, 1)), Process.RUN, null);
    StepOutput calling = step(process);
    assertThat(calling.status()).isEqualTo(StepOutput.Status.CONTINUE); // its time is over
    long command = calling.commandAt(0).tag();
    // the context says that it cannot be cancelled: whoever has answered it was told that it is
    // taken
    assertThat(step(process).status()).isEqualTo(StepOutput.Status.AWAIT_COMMANDS);
    assertThat(step(process, ProcessEvent.completed(command, "answer")).result())
        .isEqualTo("answer");
    process.close();
  }

  // ---- workers ----

  private static String worker() {
    String thread = Thread.currentThread().toString(); // VirtualThread[#1,name]/runnable@carrier
    return thread.substring(thread.lastIndexOf('@') + 1);
  }

  @Test
  void body_goesOnOnAnotherWorker_whenItsOwnIsBusy() throws Exception {
    BlockingQueue<String> on = Kit.queue();
    Pid body =
        spawn(self -> {
          while (self.receive() != null) {
            on.add(worker());
          }
          return null;
        });
    runtime.send(body, "where?");
    String first = Kit.take(on);
    CountDownLatch release = new CountDownLatch(1);
    BlockingQueue<Boolean> holds = Kit.queue();
    do {
      runtime.spawn((_, out) -> {
        boolean there = Thread.currentThread().getName().equals(first);
        holds.add(there);
        if (there) {
          release.await();
        }
        out.done();
      });
    } while (!Kit.take(holds));
    runtime.send(body, "and now?");
    assertThat(Kit.take(on)).isNotEqualTo(first).contains("-worker-");
    release.countDown();
  }

  @Test
  void whatABodyWakes_runsOnItsWorker_beforeWhatWaitsForAll() throws Exception {
    restart(1);
    BlockingQueue<String> order = Kit.queue();
    Pid forAll = heard(order, "for all", Priority.LOW);
    Pid woken = heard(order, "woken", Priority.NORMAL);
    var _ =
        spawn(self -> {
          self.context().send(forAll, "");
          self.context().send(woken, "");
          self.context()
              .spawn((_, out) -> {
                order.add("started");
                out.done();
              });
          return null;
        });
    assertThat(List.of(Kit.take(order), Kit.take(order), Kit.take(order)))
        .containsExactly("started", "woken", "for all");
  }

  private Pid heard(BlockingQueue<String> order, String what, Priority priority) {
    Process process =
        (events, _) -> {
          if (!events.isEmpty()) {
            order.add(what);
          }
        };
    Pid pid = runtime.spawn(process, StartOptions.defaults().withPriority(priority));
    assertThat(Kit.get(runtime.whenStarted(pid))).isTrue();
    return pid;
  }

  /// Lets a body wait for something on the only worker, and makes sure that this is free.
  private void freesItsWorker(CoroutineProcess.Code waiting, Runnable end) throws Exception {
    restart(1);
    CountDownLatch there = new CountDownLatch(1);
    Pid pid =
        spawn(self -> {
          there.countDown();
          return waiting.run(self);
        });
    var exit = runtime.whenExited(pid);
    there.await();
    Pid other = runtime.spawn(Kit.untilMessage());
    var exitOfOther = runtime.whenExited(other);
    runtime.send(other, "served");
    assertThat(Kit.get(exitOfOther).result()).isEqualTo("served");
    end.run();
    assertThat(Kit.get(exit).result()).isEqualTo("woken");
  }

  @Test
  void waitInTheJdk_holdsNoWorker() throws Exception {
    BlockingQueue<String> queue = Kit.queue();
    freesItsWorker(_ -> queue.take(), () -> queue.add("woken"));
    CompletableFuture<String> future = new CompletableFuture<>();
    freesItsWorker(_ -> future.join(), () -> future.complete("woken"));
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket served = server.accept()) {
      freesItsWorker(
          _ -> new String(served.getInputStream().readNBytes(5), StandardCharsets.US_ASCII),
          () -> {
            try {
              client.getOutputStream().write("woken".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
    }
  }

  @Test
  void waitInsideSynchronized_holdsNoWorker() throws Exception {
    Object monitor = new Object();
    CompletableFuture<String> future = new CompletableFuture<>();
    freesItsWorker(
        _ -> {
          synchronized (monitor) {
            return future.join();
          }
        },
        () -> future.complete("woken"));
    Pid[] pid = {null};
    freesItsWorker(
        self -> {
          pid[0] = self.context().self();
          synchronized (monitor) {
            return self.receive();
          }
        },
        () -> runtime.send(pid[0], "woken"));
  }

  @Test
  void contendedMonitor_holdsNoWorker() throws Exception {
    Object monitor = new Object();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .start(() -> {
              synchronized (monitor) {
                held.countDown();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
            });
    held.await();
    freesItsWorker(
        _ -> {
          synchronized (monitor) {
            return "woken";
          }
        },
        release::countDown);
    holder.join();
  }

  private static @Nullable CoroutineProcess waiting;

  /// Waits while it is initialised.
  private static final class Initialised {
    @SuppressWarnings("StaticAssignmentOfThrowable") // what an initialiser runs into is asked
    static final Throwable THROWN = catchThrowable(() -> Objects.requireNonNull(waiting).receive());
  }

  @Test
  void waitInAClassInitialiser_isRefused() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Pid pid =
        spawn(self -> {
          waiting = self;
          Throwable thrown = Initialised.THROWN;
          begun.countDown();
          return List.of(thrown, self.receive());
        });
    var exit = runtime.whenExited(pid);
    begun.await(); // a message that is there already is no wait
    runtime.send(pid, "x");
    List<?> got = (List<?>) Objects.requireNonNull(Kit.get(exit).result());
    assertThat(got.get(1)).isEqualTo("x");
    assertThat((Throwable) got.get(0)).isInstanceOf(PinnedException.class);
  }

  @Test
  void yieldsOfTheBody_giveOthersTheirTurn() {
    restart(1);
    AtomicInteger turns = new AtomicInteger();
    spawn(_ -> {
      while (turns.get() < 3) {
        Thread.yield();
      }
      return null;
    });
    for (int i = 0; i < 3; i++) {
      Pid pid =
          runtime.spawn((_, out) -> {
            turns.incrementAndGet();
            out.done();
          });
      Kit.exit(runtime, pid);
    }
    assertThat(turns).hasValue(3);
  }

  @Test
  void tenThousand_waitAndAreServed() throws Exception {
    int count = 10_000;
    AtomicInteger sum = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(count);
    List<Pid> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(
          spawn(self -> {
            sum.addAndGet(self.receive(Integer.class));
            self.execute(Commands.send(self.context().self(), "to itself"));
            self.receive(String.class);
            done.countDown();
            return null;
          }));
    }
    all.forEach(pid -> runtime.send(pid, 1));
    assertThat(done.await(Kit.GUARD_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(sum).hasValue(count);
  }
}
