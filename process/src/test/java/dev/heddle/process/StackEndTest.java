// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.process.fiber.ProcessFiber;
import java.io.File;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is begun in the last frames of a stack.
@Timeout(300)
class StackEndTest {
  private static final int FRAMES = 1_500; // the last ones, in which something is tried
  private static final int RISE = 800; // large frames: the room of 800 small ones, and often more
  private static final int ROUNDS = 8;

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// What is done in one of the last frames, by its number.
  private interface Act {
    void run(ProcessRuntime runtime, int number);
  }

  /// Goes down to the end of the stack, and acts in each of the last frames.
  private static final class Digger {
    private final ProcessRuntime runtime;
    private final Act act;
    private int risen; // large frames that have returned
    private int done;
    private int succeeded;

    @SuppressWarnings("UnusedVariable") // for frames to keep what they were given
    private long kept;

    Digger(ProcessRuntime runtime, Act act) {
      this.runtime = runtime;
      this.act = act;
    }

    void begin(int wide) {
      sink(wide, 1, 2, 3, 4, 5, 6, 7, 8);
      if (risen < RISE) { // interpreted, so few large ones fill a small stack
        dig(wide, 1, 2);
      }
    }

    /// Large frames first. For each error the JVM looks through all frames of the stack; 20,000
    /// small ones take it milliseconds. The small ones begin 800 large ones before the end.
    void sink(int wide, long a, long b, long c, long d, long e, long f, long g, long h) {
      try {
        sink(wide, b, c, d, e, f, g, h, a + 1);
      } catch (StackOverflowError _) {
        // safe: the end
      }
      kept += a ^ b ^ c ^ d ^ e ^ f ^ g ^ h; // so that each frame keeps them
      if (++risen == RISE) {
        dig(wide, 1, 2);
      } else if (risen > RISE) {
        act(); // where small ones are interpreted, and large ones compiled, there are fewer
      }
    }

    /// Frames of another size first, so that the end lies elsewhere each time.
    void dig(int wide, long a, long b) {
      try {
        if (wide > 0) {
          dig(wide - 1, b, a);
        } else {
          dig();
        }
      } catch (StackOverflowError _) {
        // safe: the end, or an act of the frame below for which there was no room
      }
      act();
    }

    private void dig() {
      try {
        dig();
      } catch (StackOverflowError _) {
        // safe: the same
      }
      act();
    }

    private void act() {
      if (done < FRAMES) {
        act.run(runtime, done++);
        succeeded++;
      }
    }
  }

  /// On whose stack.
  enum Stack {
    STEP {
      @Override
      void run(ProcessRuntime runtime, Runnable dig) {
        var digger =
            Kit.process((_, _, out) -> {
              dig.run();
              out.done();
            });
        var _ = Kit.exit(runtime, runtime.spawn(digger));
      }
    },
    BODY {
      @Override
      void run(ProcessRuntime runtime, Runnable dig) {
        var digger =
            CoroutineProcess.of(_ -> {
              dig.run();
              return null;
            });
        var _ = Kit.exit(runtime, runtime.spawn(digger));
      }
    },
    THREAD {
      @Override
      void run(ProcessRuntime runtime, Runnable dig) throws Exception {
        // for each error the JVM looks through all frames: milliseconds, where there are 20,000
        Thread thread = new Thread(null, dig, "digger", 256 << 10);
        thread.start();
        thread.join();
      }
    };

    abstract void run(ProcessRuntime runtime, Runnable dig) throws Exception;
  }

  private void dig(Stack stack, int round, Act act) throws Exception {
    Digger digger = new Digger(runtime, act);
    stack.run(runtime, () -> digger.begin(round));
    assertThat(digger.done).isEqualTo(FRAMES);
    assertThat(digger.succeeded).isPositive();
  }

  private List<Pid> receivers(Process process) {
    List<Pid> all = new ArrayList<>();
    for (int i = 0; i < FRAMES; i++) {
      all.add(runtime.spawn(process));
    }
    return all;
  }

  private void terminate(Pid pid) {
    try {
      runtime.terminate(pid);
    } catch (SendFailedException _) {
      // safe: it has ended
    }
  }

  /// Nobody is awake and in no queue, and nobody rests on a message.
  private void allComeToRest(String round) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.GUARD_SECONDS);
    while (runtime.processes().stream().anyMatch(StackEndTest::hasSomethingToDo)) {
      assertThat(System.nanoTime()).as(round + ": all rest").isLessThan(until);
      Thread.onSpinWait();
    }
  }

  private static boolean hasSomethingToDo(ProcessSnapshot process) {
    return process.state() != ProcessSnapshot.State.IDLE || process.mailbox() > 0;
  }

  @ParameterizedTest
  @EnumSource
  @Tag("proc-204")
  void sends_fromTheEndOfAStack_leaveNoReceiverAwakeOrWithMail(Stack stack) throws Exception {
    List<Pid> receivers = receivers(Kit.resting());
    for (int round = 0; round < ROUNDS; round++) {
      allComeToRest("before round " + round);
      dig(stack, round, (r, number) -> r.send(receivers.get(number), "from the end"));
      allComeToRest("round " + round);
    }
  }

  /// Asks, and ends when it has the answer.
  private static final class Asker implements Process {
    private final Pid server;
    private final int number;
    private boolean asked;

    Asker(Pid server, int number) {
      this.server = server;
      this.number = number;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (asked) {
        out.done();
      } else {
        asked = true;
        out.execute(1, Commands.ask(server, number, Duration.ofDays(1)));
      }
    }
  }

  /// The answer was neither given nor could it be given again: its asker waited for ever.
  @ParameterizedTest
  @EnumSource
  @Tag("proc-204")
  void answers_fromTheEndOfAStack_arriveOrCanBeGivenAgain(Stack stack) throws Exception {
    Reply<?>[] replies = new Reply<?>[FRAMES];
    for (int round = 0; round < 3; round++) {
      CountDownLatch asked = new CountDownLatch(FRAMES);
      Pid server =
          runtime.spawn(
              Kit.process((_, events, _) -> {
                for (ProcessEvent event : events) {
                  if (event.data() instanceof Request(Integer number, Reply<?> reply)) {
                    replies[number] = reply;
                    asked.countDown();
                  }
                }
              }));
      List<CompletableFuture<Exit>> askers = new ArrayList<>();
      for (int i = 0; i < FRAMES; i++) {
        askers.add(runtime.whenExited(runtime.spawn(new Asker(server, i))));
      }
      asked.await();
      dig(stack, round, (_, number) -> answer(replies[number]));
      for (Reply<?> reply : replies) {
        answer(reply); // where it is still open
      }
      for (CompletableFuture<Exit> asker : askers) {
        assertThat(Kit.get(asker).reason()).isEqualTo(Exit.Reason.NORMAL);
      }
      runtime.terminate(server);
    }
  }

  @SuppressWarnings("unchecked") // nobody looks at the answer
  private static void answer(Reply<?> reply) {
    ((Reply<Object>) reply).complete("here");
  }

  @ParameterizedTest
  @EnumSource
  @Tag("proc-204")
  void sends_toACoroutine_fromTheEndOfAStack_arriveOrAreRefused(Stack stack) throws Exception {
    CompletableFuture<Pid> address = new CompletableFuture<>();
    CompletableFuture<Integer> received = new CompletableFuture<>();
    Thread loop =
        Thread.ofPlatform()
            .start(() ->
                Heddle.run(() -> {
                  try (CoroutineMailbox mailbox = runtime.mailbox(ROUNDS * FRAMES + 1)) {
                    address.complete(mailbox.pid());
                    int count = 0;
                    while (!"end".equals(mailbox.receive())) {
                      count++;
                    }
                    received.complete(count);
                  }
                  return null;
                }));
    Pid pid = Kit.get(address);
    int[] accepted = new int[1]; // no call to count one: it would have to fit, too
    for (int round = 0; round < ROUNDS; round++) {
      dig(
          stack,
          round,
          (r, _) -> {
            r.send(pid, "from the end");
            accepted[0]++;
          });
    }
    runtime.send(pid, "end");
    assertThat(Kit.get(received)).isEqualTo(accepted[0]);
    loop.join();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("proc-204")
  void terminations_fromTheEndOfAStack_canBeSaidAgain(Stack stack) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<Pid> receivers = receivers(Kit.resting());
      List<CompletableFuture<Exit>> exits = receivers.stream().map(runtime::whenExited).toList();
      allComeToRest("before round " + round);
      dig(stack, round, (r, number) -> r.terminate(receivers.get(number)));
      receivers.forEach(this::terminate);
      exits.forEach(Kit::get);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("proc-204")
  void spawns_fromTheEndOfAStack_beginOrAreRefused(Stack stack) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      dig(
          stack,
          round,
          (r, _) -> {
            var _ = r.spawn(Kit.resting());
          });
      allComeToRest("round " + round);
      runtime.processes().forEach(process -> terminate(process.pid()));
    }
  }

  @Test
  @Tag("proc-204")
  void ties_fromTheEndOfAStep_leaveNoLockBehind() {
    for (int round = 0; round < ROUNDS; round++) {
      int wide = round;
      List<Pid> others = receivers(Kit.resting());
      List<CompletableFuture<Exit>> exits = others.stream().map(runtime::whenExited).toList();
      Pid digger =
          runtime.spawn(
              Kit.process((context, _, out) -> {
                context.trapExits();
                Act act =
                    (_, number) -> {
                      Pid other = others.get(number);
                      context.demonitor(context.monitor(other));
                      context.link(other);
                      context.unlink(other);
                    };
                new Digger(runtime, act).sink(wide, 1, 2, 3, 4, 5, 6, 7, 8);
                out.done();
              }));
      var _ = Kit.exit(runtime, digger);
      others.forEach(this::terminate);
      exits.forEach(Kit::get);
    }
  }

  /// A program in which nothing was initialised before.
  static final class Fresh {
    private Fresh() {}

    public static void main(String[] args) {
      ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
      Pid rests = runtime.spawn(Kit.resting());
      Digger digger = new Digger(runtime, (r, _) -> r.offer(rests, "from the end"));
      Exit exit = null;
      for (int round = 0; round < ROUNDS && (exit == null || exit.cause() == null); round++) {
        int wide = round;
        digger.done = 0;
        digger.risen = 0;
        CoroutineProcess body =
            CoroutineProcess.of(_ -> {
              digger.begin(wide);
              return digger.done;
            });
        exit = Kit.exit(runtime, runtime.spawn(body));
      }
      IO.println(exit);
      runtime.shutdown(java.time.Duration.ZERO);
    }
  }

  @Test
  @Tag("proc-306")
  void body_thatFirstCallsTheRuntimeAtTheEndOfItsStack_leavesTheJvmWhole() throws Exception {
    String classPath =
        String.join(
            File.pathSeparator,
            where(ProcessFiber.class), // a mutant of it lies elsewhere than the rest
            where(Heddle.class),
            where(ProcessRuntime.class),
            where(StackEndTest.class));
    var java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED",
                "-cp",
                classPath,
                Fresh.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).contains("NORMAL", "result=" + FRAMES);
    assertThat(java.waitFor()).isZero();
  }

  private static String where(Class<?> of) {
    String name = of.getName().replace('.', '/') + ".class";
    String found = of.getResource("/" + name).toString();
    boolean isInJar = found.startsWith("jar:");
    String root =
        isInJar
            ? found.substring("jar:".length(), found.indexOf("!/"))
            : found.substring(0, found.length() - name.length());
    return Path.of(URI.create(root)).toString();
  }
}
