// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How dumps name what carries commands out, and what waits for them.
@Timeout(300)
class CommandNamesTest {
  private final BlockingQueue<Object> seen = Kit.queue();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .handler(Checked.class, CommandHandler.onLoop((c, _) -> c.what().call()))
          .start();

  @AfterEach
  void end() {
    runtime.close();
  }

  record Checked(Callable<Object> what) implements ProcessCommand<Object> {}

  private Pid asking(ProcessCommand<?> processCommand) {
    return runtime.spawn(
        CoroutineProcess.of(self -> {
          seen.add(Objects.requireNonNull(self.execute(processCommand)));
          return null;
        }));
  }

  @Test
  void coroutineOfACommand_isCalledAfterIt_andWhoHasAsked() throws Exception {
    Callable<Object> naming =
        () -> Heddle.current().name() + " on " + Thread.currentThread().getName();
    Pid pid = asking(new Checked(naming));
    String name = "Checked of " + pid;
    assertThat(Kit.take(seen)).isEqualTo(name + " on " + name);
  }

  @Test
  void timer_isCalledAfterItsCommand_andNeedsNoCoroutine() throws Exception {
    Pid sleeper = asking(Commands.sleep(Duration.ofHours(1)));
    awaitWord(runtime, sleeper, "Sleep"); // it begins when its step has returned
    asking(new Checked(() -> Heddle.dump().table()));
    assertThat(String.valueOf(Kit.take(seen)))
        .contains("Checked of ")
        .doesNotContain("Sleep", String.valueOf(sleeper));
  }

  @Test
  void callsAboveTheirNumber_wait_andSaySo() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    BlockingQueue<Pid> begun = Kit.queue();
    try (ProcessRuntime few = ProcessRuntime.builder().workers(2).maxBlockingCalls(2).start()) {
      List<Pid> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(
            few.spawn(
                CoroutineProcess.of(self ->
                    self.execute(
                        Commands.call(() -> {
                          begun.add(self.context().self());
                          go.await();
                          return "done";
                        })))));
      }
      List<Pid> waiting = new ArrayList<>(all);
      waiting.remove(Kit.take(begun));
      waiting.remove(Kit.take(begun));
      Pid third = waiting.getFirst();
      String waitsFor;
      do {
        waitsFor = Objects.requireNonNull(few.process(third)).waitsFor();
      } while (!"Call, for a thread".equals(waitsFor)); // once it has got as far as that
      all.remove(third);
      all.forEach(pid -> awaitWord(few, pid, "Call"));
      assertThat(begun).isEmpty();
      var exit = few.whenExited(third);
      go.countDown();
      assertThat(Kit.get(exit).result()).isEqualTo("done");
    }
  }

  /// A process that yields some commands at once.
  private static Pid yielding(ProcessRuntime on, ProcessCommand<?>... commands) {
    return on.spawn((events, out) -> {
      for (int i = 0; events.isEmpty() && i < commands.length; i++) {
        out.execute(i, commands[i]);
      }
      out.awaitCommands();
    });
  }

  private static void awaitWord(ProcessRuntime of, Pid pid, String word) {
    while (!word.equals(Objects.requireNonNull(of.process(pid)).waitsFor())) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
    }
  }

  @Test
  void oneOfSeveralCommands_thatWaitsForAThread_isNotTakenForAnother() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    BlockingQueue<Object> begun = Kit.queue();
    ProcessCommand<Object> holding =
        Commands.call(() -> {
          begun.add("begun");
          go.await();
          return "over";
        });
    ProcessCommand<?> sleep = Commands.sleep(Duration.ofDays(1));
    try (ProcessRuntime few = ProcessRuntime.builder().workers(2).maxBlockingCalls(1).start()) {
      yielding(few, holding);
      Kit.take(begun);
      awaitWord(few, yielding(few, sleep, holding), "Call, for a thread");
      Pid sleeper = yielding(few, holding, sleep);
      awaitWord(few, sleeper, "Sleep");
      awaitWord(
          few, yielding(few, holding), "Call, for a thread"); // so the one before does so, too
      assertThat(Objects.requireNonNull(few.process(sleeper)).waitsFor()).isEqualTo("Sleep");
      Pid limited =
          few.spawn(CoroutineProcess.of(self -> self.execute(holding, Duration.ofDays(1))));
      awaitWord(few, limited, "Call, for a thread within PT24H");
      go.countDown();
    }
  }
}
