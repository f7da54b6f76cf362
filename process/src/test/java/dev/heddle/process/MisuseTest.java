// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.process.pool.ProcessPool;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.Supervisor;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What goes wrong by mistake: who is told, and whether it says what to do.
@Timeout(300)
class MisuseTest {
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .factory(_ -> nothing())
          .handler(
              Kit.Call.class,
              CommandHandler.inline((call, invocation) -> {
                invocation.complete("answer");
                throw new IllegalStateException("after " + call.what());
              }))
          .start();

  @AfterEach
  void end() {
    runtime.close();
  }

  @SuppressWarnings("NullAway") // that is the mistake
  private static Process nothing() {
    return null;
  }

  // ---- nothing to spawn ----

  private Throwable failureOf(CoroutineProcess.Code code) {
    return java.util.Objects.requireNonNull(
        Kit.exit(runtime, runtime.spawn(CoroutineProcess.of(code))).cause());
  }

  @Test
  @SuppressWarnings("NullAway") // that is the mistake
  void spawnOfNothing_isRefused_inWords() {
    String words = "the process to spawn is null; its factory must return a new one";
    assertThatThrownBy(() -> runtime.spawn(null)).hasMessage(words);
    assertThatThrownBy(() -> runtime.spawn(Kit.resting(), null))
        .hasMessage("the options to spawn with are null; use StartOptions.defaults()");
    assertThat(failureOf(self -> self.context().spawn(null))).hasMessage(words);
  }

  @Test
  @SuppressWarnings("NullAway") // that is the mistake
  void factoryThatMakesNothing_isNamed_toEveryCaller() {
    Pid pool = runtime.spawn(ProcessPool.of(() -> null).build());
    assertThatThrownBy(() -> runtime.ask(pool, 1, Kit.SOON))
        .hasRootCauseInstanceOf(StartRefusedException.class)
        .rootCause()
        .hasMessage(
            "the factory of pool " + pool + " has returned null; let it make a new process");
    Pid upgraded = runtime.spawn((_, out) -> out.upgrade("nothing", Process.RUN, null));
    assertThat(Kit.exit(runtime, upgraded).cause())
        .hasMessage(
            "upgrade: the factory has returned null for 'nothing'; let it make a process, or throw"
                + " what says why not");
    BlockingQueue<ChildStatus> changes = Kit.queue();
    var _ =
        runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("none", () -> null).withRestart(ChildSpec.Restart.TEMPORARY))
                .listener(changes::add)
                .build());
    Exit exit =
        Stream.generate(() -> taken(changes).exit())
            .filter(java.util.Objects::nonNull)
            .findFirst()
            .orElseThrow();
    assertThat(exit.cause())
        .hasMessage("the factory of child 'none' has returned null; let it make a new process");
  }

  private static <T> T taken(BlockingQueue<T> queue) {
    try {
      return Kit.take(queue);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- the clean-up of a body that has ended ----

  @Test
  void linksOfAnEndedBody_areRefused_andHaveNoEffect() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    CompletableFuture<List<@Nullable Throwable>> refusals = new CompletableFuture<>();
    Pid other = runtime.spawn(Kit.resting());
    Pid gone = Pid.parse(runtime.spawn(Kit.untilMessage()).toString());
    runtime.terminate(gone);
    Kit.exit(runtime, gone);
    Pid body =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              try {
                return self.receive();
              } finally {
                Thread.interrupted(); // the end of a process interrupts its clean-up
                told.await();
                ProcessContext context = self.context();
                refusals.complete(
                    Stream.<ThrowingCallable>of(
                            () -> context.link(other),
                            () -> context.link(gone),
                            () -> context.monitor(other),
                            () -> context.monitor(gone),
                            () -> context.register("late"))
                        .map(each -> (@Nullable Throwable) catchThrowable(each))
                        .toList());
              }
            }));
    assertThat(Kit.get(runtime.whenStarted(body))).isTrue();
    runtime.terminate(body);
    Kit.exit(runtime, body);
    told.countDown();
    assertThat(Kit.get(refusals))
        .hasSize(5)
        .allSatisfy(refusal ->
            assertThat(refusal)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(body + " has ended; it cannot "));
    assertThat(runtime.process(other)).isNotNull();
    assertThat(runtime.whereIs("late")).isNull();
  }

  // ---- handlers ----

  @Test
  void handlerThatThrowsAfterItsAnswer_isLogged() throws Exception {
    BlockingQueue<LogRecord> logged = Kit.queue();
    Handler listening =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            logged.add(entry);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.heddle.process");
    log.addHandler(listening);
    try {
      Pid pid = runtime.spawn(CoroutineProcess.of(self -> self.execute(new Kit.Call("all"))));
      assertThat(Kit.exit(runtime, pid).result()).isEqualTo("answer");
      String words =
          "the handler of dev.heddle.process.Kit$Call has failed, which was not reported to " + pid;
      assertThat(logged) // in the step before the last
          .anySatisfy(entry -> {
            assertThat(entry.getMessage()).isEqualTo(words);
            assertThat(entry.getThrown()).hasMessage("after all");
          });
    } finally {
      log.removeHandler(listening);
    }
  }
}
