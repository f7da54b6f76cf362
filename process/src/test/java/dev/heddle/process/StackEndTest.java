// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sends from the last frames of a stack.
@Timeout(120)
class StackEndTest {
  private static final int RECEIVERS = 32; // for as many frames
  private static final int ROUNDS = 40;

  private static void await(CountDownLatch latch, String what) throws InterruptedException {
    assertThat(latch.await(Kit.GUARD_SECONDS, TimeUnit.SECONDS)).as(what).isTrue();
  }

  /// Goes down to the end of the stack, and sends from each of the last frames to another receiver.
  private static final class Digger {
    private final Consumer<Pid> send;
    private final Iterator<Pid> receivers;

    Digger(List<Pid> receivers, Consumer<Pid> send) {
      this.receivers = receivers.iterator();
      this.send = send;
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
        send();
      }
    }

    private void dig() {
      try {
        dig();
      } catch (StackOverflowError _) {
        send();
      }
    }

    private void send() {
      if (receivers.hasNext()) {
        send.accept(receivers.next());
      }
    }
  }

  /// Somebody at the end of whose stack something is sent to each receiver.
  private interface Sender {
    void run(ProcessRuntime runtime, int round, List<Pid> receivers) throws Exception;
  }

  /// After each round a message from elsewhere must reach everybody: who is awake and in no queue
  /// would never take it.
  private static void leavesNobodyBehind(Sender sender) throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      for (int round = 0; round < ROUNDS; round++) {
        CountDownLatch resting = new CountDownLatch(RECEIVERS);
        CountDownLatch later = new CountDownLatch(RECEIVERS);
        List<Pid> receivers = new ArrayList<>();
        for (int i = 0; i < RECEIVERS; i++) {
          receivers.add(runtime.spawn(receiver(resting, later)));
        }
        await(resting, "receivers rest");
        sender.run(runtime, round, receivers);
        receivers.forEach(pid -> runtime.send(pid, "later"));
        await(later, "round " + round + ": all receivers step again");
      }
    }
  }

  private static Process receiver(CountDownLatch resting, CountDownLatch later) {
    return (events, out) -> {
      resting.countDown();
      for (ProcessEvent event : events) {
        if ("later".equals(Objects.requireNonNull(event.data()))) {
          later.countDown();
          out.done();
        }
      }
    };
  }

  @Test
  @Tag("proc-204")
  void sends_fromTheEndOfAStepsStack_leaveNobodyAwakeInNoQueue() throws Exception {
    leavesNobodyBehind((runtime, round, receivers) ->
        Kit.exit(
            runtime,
            runtime.spawn(
                Kit.process((self, _, out) -> {
                  new Digger(receivers, pid -> self.offer(pid, "from the end")).dig(round, 1, 2);
                  out.done();
                }))));
  }

  @Test
  @Tag("proc-204")
  void sends_fromTheEndOfABodysStack_leaveNobodyAwakeInNoQueue() throws Exception {
    leavesNobodyBehind((runtime, round, receivers) ->
        Kit.exit(
            runtime,
            runtime.spawn(
                CoroutineProcess.of(self -> {
                  new Digger(receivers, pid -> self.context().offer(pid, "from the end"))
                      .dig(round, 1, 2);
                  return null;
                }))));
  }

  @Test
  @Tag("proc-204")
  void sends_fromTheEndOfAThreadsStack_leaveNobodyAwakeInNoQueue() throws Exception {
    leavesNobodyBehind((runtime, round, receivers) -> {
      Thread thread =
          new Thread(
              null,
              () ->
                  new Digger(receivers, pid -> runtime.send(pid, "from the end")).dig(round, 1, 2),
              "digger",
              1 << 20);
      thread.start();
      thread.join();
    });
  }
}
