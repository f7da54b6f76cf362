// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.process.dispatch.CommandIssuer;
import dev.heddle.process.dispatch.PendingCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Commands and their answers.
@Timeout(300)
class DispatchTest {
  // what the test is asked to answer, by what was called
  private final BlockingQueue<Invocation<Object>> asked = Kit.queue();
  private final BlockingQueue<ProcessEvent> seen = Kit.queue();
  private ProcessRuntime runtime = start();

  private ProcessRuntime start() {
    return ProcessRuntime.builder()
        .workers(2)
        .handler(Kit.Call.class, CommandHandler.inline((_, invocation) -> asked.add(invocation)))
        .handler(Checked.class, CommandHandler.onLoop((c, _) -> c.run()))
        .handler(Blocking.class, CommandHandler.onThread((c, _) -> c.run()))
        .handler(Now.class, CommandHandler.inline((c, i) -> i.complete(c.run())))
        .start();
  }

  @AfterEach
  void end() {
    runtime.close();
  }

  /// What a handler does.
  interface Doing {
    Object run() throws Exception;
  }

  record Checked(Doing what) implements ProcessCommand<Object> {
    Object run() throws Exception {
      return what.run();
    }
  }

  record Blocking(Doing what) implements ProcessCommand<Object> {
    Object run() throws Exception {
      return what.run();
    }
  }

  record Now(Doing what) implements ProcessCommand<Object> {
    Object run() throws Exception {
      return what.run();
    }
  }

  record Unknown() implements ProcessCommand<Object> {}

  /// Yields commands with the tags 1, 2, ... in its first step, and passes on what comes.
  private Pid yielding(ProcessCommand<?>... commands) {
    boolean[] begun = {false};
    return runtime.spawn(
        Kit.process((_, events, out) -> {
          seen.addAll(events);
          if (!begun[0]) {
            begun[0] = true;
            for (int i = 0; i < commands.length; i++) {
              out.execute(i + 1, commands[i]);
            }
          }
        }));
  }

  private ProcessEvent answerTo(ProcessCommand<?> processCommand) throws InterruptedException {
    yielding(processCommand);
    return Kit.take(seen);
  }

  @Test
  @Tag("P11")
  @Tag("P2")
  @Tag("proc-48")
  @Tag("proc-51")
  void answers_comeInTheOrderInWhichTheyAreGiven_eachWithItsTag() throws Exception {
    yielding(new Kit.Call("slow"), new Kit.Call("fast"), new Kit.Call("third"));
    Invocation<Object> slow = Kit.take(asked);
    Invocation<Object> fast = Kit.take(asked);
    Invocation<Object> third = Kit.take(asked);
    third.complete("c");
    assertThat(Kit.take(seen)).isEqualTo(ProcessEvent.completed(3, "c"));
    fast.complete("b");
    assertThat(Kit.take(seen)).isEqualTo(ProcessEvent.completed(2, "b"));
    slow.complete("a");
    assertThat(Kit.take(seen)).isEqualTo(ProcessEvent.completed(1, "a"));
  }

  @Test
  void tagOfACommandOnItsWay_usedAgain_failsTheProcess() throws Exception {
    Pid pid =
        runtime.spawn(
            Kit.process((_, events, out) -> {
              if (events.isEmpty()) {
                out.execute(7, new Kit.Call("first"));
              } else {
                out.execute(7, new Kit.Call("second"));
              }
            }));
    var exit = runtime.whenExited(pid);
    Kit.take(asked);
    runtime.send(pid, "again");
    assertThat(Kit.get(exit).cause()).hasMessageContaining("the tag 7 belongs to a command");
    assertThat(asked).isEmpty();
  }

  @Test
  @Tag("proc-50")
  void commandYieldedWhenAnotherIsAnswered_mayOvertakeAnOlderOne() throws Exception {
    runtime.spawn(
        Kit.process((_, events, out) -> {
          seen.addAll(events);
          if (events.isEmpty()) {
            out.execute(1, new Kit.Call("A"));
            out.execute(2, new Kit.Call("B"));
          } else if (events.getFirst().tag() == 2) {
            out.execute(3, new Kit.Call("C"));
          }
        }));
    Invocation<Object> a = Kit.take(asked);
    Kit.take(asked).complete("B");
    Kit.take(asked).complete("C");
    assertThat(Kit.take(seen).data()).isEqualTo("B");
    assertThat(Kit.take(seen).data()).isEqualTo("C");
    a.complete("A");
    assertThat(Kit.take(seen).data()).isEqualTo("A");
  }

  @Test
  @Tag("proc-52")
  void answerOfAnyKindOfHandler_carriesTheTag() throws Exception {
    Doing doing = () -> "done";
    for (ProcessCommand<?> processCommand :
        List.of(new Now(doing), new Checked(doing), new Blocking(doing), new Kit.Call(""))) {
      runtime.spawn(
          Kit.process((_, events, out) -> {
            seen.addAll(events);
            if (events.isEmpty()) {
              out.execute(100, processCommand);
            }
          }));
      if (processCommand instanceof Kit.Call) {
        Kit.take(asked).complete("done");
      }
      assertThat(Kit.take(seen)).isEqualTo(ProcessEvent.completed(100, "done"));
    }
  }

  @Test
  @Tag("proc-54")
  void moreCommandsThanFitIntoTheStepOutputItself_yieldedAgainWhenDone_areAllDone() {
    CompletableFuture<Integer> count = new CompletableFuture<>();
    int[] done = {0};
    runtime.spawn(
        Kit.process((_, events, out) -> {
          if (events.isEmpty()) {
            for (int tag = 1; tag <= 3; tag++) {
              out.execute(tag, new Checked(() -> "x"));
            }
          }
          for (ProcessEvent event : events) {
            done[0]++;
            if (event.tag() <= 3) {
              out.execute(event.tag() + 10, new Now(() -> "x"));
            }
          }
          if (done[0] == 6) {
            count.complete(done[0]);
          }
        }));
    assertThat(Kit.get(count)).isEqualTo(6);
  }

  @Test
  @Tag("proc-55")
  void commandThatIsNotCarriedOut_isAnsweredWithAFailure() throws Exception {
    ProcessEvent answer = answerTo(new Unknown());
    assertThat(answer.tag()).isEqualTo(1);
    assertThat(answer.error())
        .isInstanceOf(NoHandlerException.class)
        .hasMessageContaining("DispatchTest$Unknown");
  }

  @Test
  @Tag("proc-56")
  void whatAHandlerThrows_arrivesAsTheObjectThatItIs() throws Exception {
    IOException checked = new IOException("disk full");
    Error error = new StackOverflowError("deep");
    for (Throwable thrown : List.of(checked, error)) {
      Doing failing =
          () -> {
            throw DispatchTest.<RuntimeException>asUnchecked(thrown);
          };
      assertThat(answerTo(new Now(failing)).error()).isSameAs(thrown);
      assertThat(answerTo(new Checked(failing)).error()).isSameAs(thrown);
      assertThat(answerTo(new Blocking(failing)).error()).isSameAs(thrown);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the usual sneaky throw
  private static <T extends Throwable> T asUnchecked(Throwable t) throws T {
    throw (T) t;
  }

  @Test
  @Tag("proc-217")
  @Tag("P11")
  void secondAnswer_isNotTaken() throws Exception {
    Pid pid = yielding(new Kit.Call("twice"));
    Invocation<Object> invocation = Kit.take(asked);
    assertThat(invocation.complete("first")).isTrue();
    assertThat(invocation.complete("second")).isFalse();
    assertThat(invocation.fail(new IOException("third"))).isFalse();
    runtime.send(pid, "end");
    assertThat(Kit.take(seen).data()).isEqualTo("first");
    assertThat(Kit.take(seen).data()).isEqualTo("end");
  }

  @Test
  @Tag("proc-58")
  @Tag("proc-59")
  @Tag("proc-212")
  void answerForAProcessThatHasEnded_isNotDelivered() throws Exception {
    Pid pid = yielding(new Kit.Call("late"));
    Invocation<Object> invocation = Kit.take(asked);
    runtime.terminate(pid);
    Kit.exit(runtime, pid);
    Pid next = yielding();
    assertThat(invocation.isOpen()).isFalse();
    assertThat(invocation.complete("late")).isFalse();
    runtime.send(next, "end");
    assertThat(Kit.take(seen).data()).isEqualTo("end");
  }

  @Test
  @Tag("proc-210")
  void commandsOfTheLastStep_areCarriedOut() throws Exception {
    Pid pid =
        runtime.spawn((_, out) -> {
          out.execute(1, new Kit.Call("last words"));
          out.execute(1, new Kit.Call("and more"));
          out.done("result");
        });
    Invocation<Object> first = Kit.take(asked);
    Kit.take(asked);
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo("result");
    first.complete("for nobody");
  }

  @Test
  @Tag("proc-211")
  void answer_wakesAProcessThatIsIdle() throws Exception {
    runtime.spawn(
        Kit.process((_, events, out) -> {
          seen.addAll(events);
          if (events.isEmpty()) {
            out.execute(1, new Kit.Call("x"));
          }
          out.idle();
        }));
    Kit.take(asked).complete("here");
    assertThat(Kit.take(seen).data()).isEqualTo("here");
  }

  @Test
  void untilWoken_waitsForACallback_andLetsMessagesWait() throws Exception {
    CompletableFuture<ProcessContext> context = new CompletableFuture<>();
    AtomicBoolean called = new AtomicBoolean();
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              context.complete(self);
              for (ProcessEvent event : events) {
                seen.add(
                    ProcessEvent.message(event.data() + " after the callback: " + called.get()));
              }
              out.awaitWakeUp();
            }));
    ProcessContext self = Kit.get(context);
    runtime.send(pid, "message");
    called.set(true);
    self.wakeUp();
    assertThat(Kit.take(seen).data()).isEqualTo("message after the callback: true");
    runtime.terminate(pid);
    Kit.exit(runtime, pid);
    self.wakeUp(); // of one that has ended: nothing
  }

  // ---- cancelling ----

  /// Yields one command, and calls it off at the first message.
  private Pid callingOff(ProcessCommand<?> processCommand) {
    boolean[] begun = {false};
    return runtime.spawn(
        Kit.process((self, events, out) -> {
          if (!begun[0]) {
            begun[0] = true;
            out.execute(1, processCommand);
          }
          for (ProcessEvent event : events) {
            if (event.isMessage()) {
              self.cancelCommand(1);
            } else {
              seen.add(event);
            }
          }
        }));
  }

  @Test
  @Tag("P11")
  void cancel_reachesACoroutineThatWaits_andAThreadThatBlocks() throws Exception {
    BlockingQueue<String> trace = Kit.queue();
    Doing onLoop =
        () -> {
          try {
            trace.add("waits");
            Heddle.await(new CompletableFuture<>());
            return "never";
          } catch (Throwable t) {
            trace.add(t.getClass().getSimpleName());
            throw t;
          }
        };
    Doing onThread =
        () -> {
          try {
            trace.add("blocks");
            new CountDownLatch(1).await();
            return "never";
          } catch (InterruptedException e) {
            trace.add("interrupted");
            throw e;
          }
        };
    for (ProcessCommand<?> processCommand : List.of(new Checked(onLoop), new Blocking(onThread))) {
      Pid pid = callingOff(processCommand);
      assertThat(Kit.take(trace)).isIn("waits", "blocks");
      runtime.send(pid, "off");
      assertThat(Kit.take(seen).error()).isInstanceOf(CancellationException.class);
      assertThat(Kit.take(trace)).isIn("Cancellation", "interrupted");
    }
  }

  @Test
  @Tag("proc-213")
  void failureOfWhatAHandlerHasSpawned_endsThatCommandOnly() throws Exception {
    CompletableFuture<Object> go = new CompletableFuture<>();
    CompletableFuture<Object> waits = new CompletableFuture<>();
    yielding(
        new Checked(() -> {
          waits.complete("on the same loop");
          return Heddle.await(go);
        }));
    Kit.get(waits);
    IllegalStateException inner = new IllegalStateException("inner");
    yielding(
        new Checked(() -> {
          Heddle.spawn(() -> {
            throw inner;
          });
          return "outer";
        }));
    assertThat(Kit.take(seen).error()).isSameAs(inner);
    go.complete("goes on");
    assertThat(Kit.take(seen).data()).isEqualTo("goes on");
  }

  @Test
  @Tag("proc-213")
  void commandThatEndsTheLoop_leavesTheNextOnesAnother() throws Exception {
    yielding(
        new Checked(() -> {
          Heddle.exit(3);
          return "never";
        }));
    assertThat(Kit.take(seen).error()).isNotNull();
    Object answer;
    do { // some may still come to the loop that ends
      yielding(new Checked(() -> "on another loop"));
      answer = Kit.take(seen).data();
    } while (answer == null);
    assertThat(answer).isEqualTo("on another loop");
  }

  @Test
  void end_ofTheProcess_stopsWhatIsDoneForIt() throws Exception {
    BlockingQueue<String> trace = Kit.queue();
    Pid pid =
        yielding(
            new Checked(() -> {
              try {
                trace.add("waits");
                return Heddle.await(new CompletableFuture<>());
              } finally {
                trace.add("stopped");
              }
            }));
    Kit.take(trace);
    runtime.terminate(pid);
    assertThat(Kit.take(trace)).isEqualTo("stopped");
  }

  @Test
  void actionGivenAfterTheCancellation_isRunAtOnce_andWhatItThrowsIsReported() {
    AtomicInteger told = new AtomicInteger();
    PendingCommand<Object> invocation = new PendingCommand<>(deaf(told), 1);
    assertThat(invocation.cancel("why")).isTrue();
    List<String> trace = new ArrayList<>();
    invocation.onCancel(() -> trace.add("run"));
    invocation.onCancel(() -> {
      throw new IllegalStateException("boom");
    });
    assertThat(trace).containsExactly("run");
    assertThat(told).hasValue(1);
  }

  private static CommandIssuer deaf(AtomicInteger failures) {
    return new CommandIssuer() {
      @Override
      public Pid self() {
        return new Pid("", "test", 1, 1);
      }

      @Override
      public PendingCommand<?> invocation(long tag) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void monitor(Pid other, LongConsumer known) {}

      @Override
      public void deliver(ProcessEvent event, boolean inOrder) {}

      @Override
      public void onLateResult(PendingCommand<?> invocation) {}

      @Override
      public void logUnreported(String what, Throwable thrown) {
        failures.incrementAndGet();
      }
    };
  }

  @Test
  @Tag("timer-5")
  void answer_thatFindsNoMemory_canBeGivenAgain() {
    BlockingQueue<ProcessEvent> delivered = Kit.queue();
    AtomicInteger tries = new AtomicInteger();
    CommandIssuer poor =
        caller((method, arguments) -> {
          if (method.equals("deliver") && tries.incrementAndGet() == 1) {
            throw new OutOfMemoryError("test");
          }
          if (method.equals("deliver")) {
            delivered.add((ProcessEvent) arguments[0]);
          }
        });
    PendingCommand<Object> invocation = new PendingCommand<>(poor, 1);
    assertThatThrownBy(() -> invocation.complete("lost")).isInstanceOf(OutOfMemoryError.class);
    assertThat(invocation.isOpen()).isTrue();
    assertThat(invocation.complete("again")).isTrue();
    assertThat(invocation.complete("too late")).isFalse();
    assertThat(delivered).hasSize(1).first().extracting(ProcessEvent::data).isEqualTo("again");
  }

  @Test
  void cancelAgainstAnswer_oneOfThemWins() throws Exception {
    for (int round = 0; round < 500; round++) {
      AtomicInteger stopped = new AtomicInteger();
      BlockingQueue<ProcessEvent> delivered = Kit.queue();
      PendingCommand<Object> invocation = new PendingCommand<>(recording(delivered), 1);
      Thread handler =
          Thread.ofVirtual()
              .start(() -> {
                invocation.onCancel(stopped::incrementAndGet);
                invocation.complete("x");
              });
      boolean cancelled = invocation.cancel("why");
      handler.join();
      assertThat(delivered).hasSize(1);
      assertThat(stopped.get()).isEqualTo(cancelled ? 1 : 0);
      assertThat(Kit.take(delivered).error() != null).isEqualTo(cancelled);
    }
  }

  private static CommandIssuer recording(BlockingQueue<ProcessEvent> delivered) {
    return caller((method, arguments) -> {
      if (method.equals("deliver")) {
        delivered.add((ProcessEvent) arguments[0]);
      }
    });
  }

  private static CommandIssuer caller(BiConsumer<String, Object[]> called) {
    return (CommandIssuer)
        java.lang.reflect.Proxy.newProxyInstance(
            CommandIssuer.class.getClassLoader(),
            new Class<?>[] {CommandIssuer.class},
            (_, method, arguments) -> {
              called.accept(method.getName(), arguments);
              return null;
            });
  }
}
