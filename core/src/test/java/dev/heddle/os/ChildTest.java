// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import dev.heddle.os.spawn.PosixSpawn;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Commands that run beside the coroutine that has started them.
@Tag("T13.8")
@Timeout(300)
@Proves("commands")
class ChildTest {
  private static final Command CAT = Command.of("cat");
  private static final Command SLEEP = Command.of("sleep", "1000");
  private static final Duration SHORT = Duration.ofMillis(1);

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void pipes_carryAConversation_whileOthersGoOn() {
    inLoop(() -> {
      try (Child cat = CAT.start()) {
        Coroutine<String> reader = Heddle.spawn(() -> cat.output().readLine());
        Heddle.delay(SHORT); // the reader waits meanwhile
        assertThat(reader.isDone()).isFalse();
        cat.input().write("question\n");
        assertThat(reader.await()).isEqualTo("question");
        cat.input().write("again\n");
        assertThat(cat.output().readLine()).isEqualTo("again");
        cat.input().close();
        assertThat(cat.output().readLine()).isNull();
        assertThat(cat.output().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(cat.await()).isZero();
      }
    });
  }

  @Test
  @Shows({Aspect.CANCEL, Aspect.DEADLINE})
  void read_thatIsCancelled_losesNothing() {
    inLoop(() -> {
      try (Child cat = CAT.start()) {
        assertThatThrownBy(() -> Heddle.withTimeout(SHORT, () -> cat.output().readLine()))
            .isInstanceOf(DeadlineException.class);
        cat.input().write("half ");
        // the half has come: readLine has seen it, and waits for more
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(cat.output().read(one)).isOne();
        assertThatThrownBy(() -> Heddle.withTimeout(SHORT, () -> cat.output().readLine()))
            .isInstanceOf(DeadlineException.class);
        cat.input().write("a line\nrest");
        assertThat((char) one.get(0) + cat.output().readLine()).isEqualTo("half a line");
        cat.input().close();
        assertThat(cat.output().readAllBytes()).isEqualTo("rest".getBytes(StandardCharsets.UTF_8));
      }
    });
  }

  @Test
  @Tag("loop-250")
  @Shows(Aspect.CLOSE)
  void close_wakesWhoReads() {
    inLoop(() -> {
      Child cat = CAT.start();
      Heddle.supervise(s -> {
        Coroutine<String> reader = s.spawn(() -> cat.output().readLine());
        Heddle.yieldNow();
        cat.close();
        assertThatThrownBy(reader::await).hasCauseInstanceOf(ClosedChannelException.class);
        return null;
      });
      assertThatThrownBy(() -> cat.output().readLine()).isInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(() -> cat.input().write("x")).isInstanceOf(ClosedChannelException.class);
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_wakesWhoWrites() {
    inLoop(() -> {
      Child deaf = SLEEP.start();
      Heddle.supervise(s -> {
        Coroutine<?> writer =
            s.spawn(() -> {
              deaf.input().write(new byte[1 << 20]);
              return true;
            });
        Heddle.yieldNow();
        deaf.close();
        assertThatThrownBy(writer::await).hasCauseInstanceOf(ClosedChannelException.class);
        return null;
      });
    });
  }

  @Test
  @Shows(Aspect.END)
  void outputThatWasNotRead_isThereAfterTheEnd() {
    inLoop(() -> {
      try (Child echo = Command.of("echo", "late").start()) {
        assertThat(echo.await()).isZero();
        assertThat(echo.output().readLine()).isEqualTo("late");
        assertThat(echo.output().readLine()).isNull();
      }
    });
  }

  @Test
  @Tag("trap-33")
  @Shows(Aspect.END)
  void output_ofAProcessLeftBehind_isReadToItsEnd(@TempDir Path folder) {
    Path more = folder.resolve("more");
    String left =
        "while kill -0 $$ 2>/dev/null; do :; done; echo late;"
            + (" for i in $(seq 6000); do [ -e "
                + more
                + " ] && break; sleep 0.01; done; echo later");
    inLoop(() -> {
      Command patient =
          Command.shell("echo ready; read go; (" + left + ") &")
              .withDrainTimeout(Duration.ofHours(1));
      try (Child child = patient.start()) {
        assertThat(child.output().readLine()).isEqualTo("ready");
        child.input().write("go\n");
        assertThat(child.await()).isZero();
        assertThat(child.output().readLine()).isEqualTo("late");
        // nobody reads now, and the JDK has learned of the end
        Files.createFile(more);
        assertThat(child.output().readLine()).isEqualTo("later");
        assertThat(child.output().readLine()).isNull();
      }
    });
  }

  @Test
  @Tag("loop-250")
  void output_closedWhileTheChildGoesOn_wakesWhoReads() {
    inLoop(() -> {
      try (Child cat = CAT.start()) {
        Heddle.supervise(s -> {
          Coroutine<String> reader = s.spawn(() -> cat.output().readLine());
          Heddle.yieldNow();
          cat.output().close();
          assertThatThrownBy(reader::await).hasCauseInstanceOf(ClosedChannelException.class);
          return null;
        });
        assertThat(cat.isAlive()).isTrue();
      }
    });
  }

  // ---- its end ----

  @Test
  @Tag("loop-248")
  void exitCode_ofOneThatWasTerminated_isMinusItsSignal() {
    inLoop(() -> {
      Child child = SLEEP.start();
      child.close();
      assertThat(child.await()).isEqualTo(-15);
      assertThat(child.isAlive()).isFalse();
    });
  }

  @Test
  @Tag("loop-248")
  void exitCode_ofOneThatWouldNotGo_isThatOfItsKilling() {
    Command stubborn = Command.shell("trap '' TERM; echo ready; while :; do sleep 1; done");
    inLoop(() -> {
      Child child = stubborn.withKillGrace(SHORT).start();
      assertThat(child.output().readLine()).isEqualTo("ready");
      child.close();
      assertThat(child.await()).isEqualTo(-9);
    });
  }

  @Test
  void terminateAndKill_sendTheirSignals() {
    inLoop(() -> {
      try (Child child = SLEEP.start()) {
        child.terminate();
        assertThat(child.await()).isEqualTo(-15);
      }
      try (Child child = SLEEP.start()) {
        child.kill();
        assertThat(child.await()).isEqualTo(-9);
      }
    });
  }

  @Test
  void close_endsDescendantsThatIgnoreSigterm() {
    String script =
        "(trap '' TERM; echo $(exec sh -c 'echo $PPID'); while :; do sleep 1; done) & wait";
    inLoop(() -> {
      Child child = Command.shell(script).withKillGrace(SHORT).start();
      long pid = Long.parseLong(child.output().readLine());
      assertThat(Pids.isRunning(pid)).isTrue();
      child.close();
      Pids.awaitEnd(pid);
    });
  }

  @Test
  void exitCode_ofAProgramThatExitsAsIfBySignal_isItsOwn() {
    inLoop(() -> assertThat(Command.shell("exit 143").run().exitCode()).isEqualTo(143));
  }

  @Test
  @Shows(Aspect.DEADLINE)
  void await_whoseDeadlineOrTokenComesFirst_leavesItRunning() {
    inLoop(() -> {
      try (Child child = SLEEP.start()) {
        assertThatThrownBy(() -> child.await(Deadline.after(SHORT)))
            .isInstanceOf(DeadlineException.class);
        assertThatThrownBy(() -> child.await(Heddle.timer(SHORT)))
            .isInstanceOf(WaitCancelledException.class);
      }
    });
  }

  @Test
  void end_asAToken_endsAnotherWait() {
    inLoop(() -> {
      try (Child child = Command.of("true").start()) {
        assertThatThrownBy(() -> Heddle.cancelWhen(child, () -> Heddle.delay(Duration.ofHours(1))))
            .isInstanceOf(WaitCancelledException.class);
        assertThat(Heddle.await(child)).isZero();
      }
    });
  }

  @Test
  void close_ofACancelledCoroutine_stillEndsIt() {
    inLoop(() -> {
      Child child = SLEEP.start();
      Coroutine<?> owner =
          Heddle.spawn(() -> {
            try (child) {
              return child.await();
            }
          });
      Heddle.yieldNow();
      owner.cancel("enough");
      assertThatThrownBy(owner::await).isInstanceOf(Cancellation.class);
      assertThat(child.isAlive()).isFalse();
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  void start_thatIsCancelled_leavesNoProcessBehind() {
    inLoop(() -> {
      List<Long> before = Pids.children();
      for (int turns = 0; turns < 60; turns++) {
        Coroutine<Child> starter = Heddle.spawn(SLEEP::start);
        for (int i = 0; i < turns * turns; i++) {
          Heddle.yieldNow(); // a turn takes a fraction of what a start does
        }
        starter.cancel("enough");
        try {
          starter.await().close();
        } catch (Cancellation _) {
          assertThat(Pids.children()).isSubsetOf(before);
        }
      }
    });
  }

  @Test
  void childThatIsNotClosed_isKilledWhenTheLoopHasEnded() {
    long pid = Heddle.run(() -> SLEEP.start().pid());
    ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
    assertThat(Pids.isRunning(pid)).isFalse();
  }

  @Test
  void childOfALoopThatRunsIntoItsDeadline_isKilled() {
    HeddleOptions hasty =
        HeddleOptions.defaults().withShutdownDeadline(Duration.ZERO).withGracePeriod(Duration.ZERO);
    long[] pid = new long[1];
    assertThatThrownBy(() ->
            Heddle.run(
                hasty,
                () -> {
                  try (Child child = SLEEP.start()) {
                    pid[0] = child.pid();
                    Heddle.shutdown(Duration.ZERO);
                    child.await();
                  }
                }))
        .isInstanceOf(Throwable.class);
    ProcessHandle.of(pid[0]).ifPresent(process -> process.onExit().join());
    assertThat(Pids.isRunning(pid[0])).isFalse();
  }

  @Test
  @Tag("trap-30")
  void writes_ofSeveralCoroutines_areNotMixed() {
    inLoop(() -> {
      String big = "a".repeat(1_000_000);
      try (Child cat = CAT.start()) {
        Coroutine<byte[]> reader = Heddle.spawn(() -> cat.output().readAllBytes());
        Heddle.scope(writers -> {
          writers.launch("big", () -> cat.input().write(big));
          for (int i = 0; i < 500; i++) {
            int turns = i; // so that at any time one is about to write
            writers.launch(
                "small",
                () -> {
                  for (int n = 0; n < turns; n++) {
                    Heddle.yieldNow();
                  }
                  cat.input().write("b");
                });
          }
          return null;
        });
        cat.input().close();
        assertThat(new String(reader.await(), StandardCharsets.UTF_8))
            .isEqualTo(big + "b".repeat(500));
      }
    });
  }

  // ---- what is seen of it ----

  @Test
  void pipeThatWasRedirected_isRefusedWithTheReason() {
    inLoop(() -> {
      try (Child child =
          Command.of("true").withOutput(Redirect.DISCARD).withErrorMerged().start()) {
        assertThatThrownBy(child::output)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("output of 'true'")
            .hasMessageContaining("redirected");
        assertThatThrownBy(child::error).isInstanceOf(IllegalStateException.class);
      }
    });
  }

  @Test
  void dump_namesWhatIsWaitedFor() {
    inLoop(() -> {
      try (Child cat = CAT.start()) {
        Coroutine<?> reader = Heddle.spawn(() -> cat.output().readLine());
        Coroutine<?> waiter = Heddle.spawn(() -> cat.await());
        Heddle.yieldNow();
        assertThat(Heddle.dump().text())
            .contains("the output of 'cat' (process " + cat.pid() + ")")
            .contains("the end of 'cat' (process " + cat.pid() + ")");
        reader.cancel("enough");
        waiter.cancel("enough");
      }
    });
  }

  @Test
  void threads_ofItsPipes_endWithIt() {
    assumeTrue(
        PosixSpawn.how().startsWith("started by the JDK"), "native children have no threads");
    inLoop(() -> {
      String name;
      try (Child cat = CAT.start()) {
        name = "heddle-" + cat.pid() + "-";
        cat.input().write("x\n");
        cat.output().readLine();
        assertThat(hasThread(name)).isTrue();
      }
      while (hasThread(name)) {
        Heddle.yieldNow();
      }
    });
  }

  private static boolean hasThread(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith(prefix));
  }

  @Test
  void command_outsideOfLoops_isRefusedNamingHeddleRun() {
    assertThatThrownBy(CAT::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }
}
