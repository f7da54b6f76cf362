// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Registration;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a runtime closes before it ends its processes.
@Timeout(300)
@Tag("P12")
class BeforeShutdownTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
  private final BlockingQueue<Object> told = Kit.queue();

  @AfterEach
  void end() {
    runtime.close();
  }

  @Test
  void actions_runWhileProcessesRun_theLastOneFirst_once() {
    Pid answering =
        runtime.spawn((events, _) ->
            events.forEach(event -> ((Request) event.data()).reply().complete("alive")));
    runtime.beforeShutdown(() -> told.add("first"));
    runtime.beforeShutdown(() -> {
      told.add(runtime.ask(answering, "?", Kit.SOON));
      told.add(Kit.exit(runtime, runtime.spawn((_, out) -> out.done("started"))).result());
    });
    runtime.close();
    runtime.close();
    assertThat(told).containsExactly("alive", "started", "first");
  }

  @Test
  void failure_changesNothingElse() {
    Pid resting = runtime.spawn(Kit.resting());
    CompletableFuture<Exit> exit = runtime.whenExited(resting);
    runtime.beforeShutdown(() -> told.add("others"));
    runtime.beforeShutdown(() -> {
      throw new IllegalStateException("as if");
    });
    assertThat(runtime.shutdown(Kit.SOON).abandoned()).isEmpty();
    assertThat(told).containsExactly("others");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  void action_thatWasRemoved_isNotClosed() {
    runtime.beforeShutdown(() -> told.add("stays"));
    AutoCloseable action = () -> told.add("added twice, removed once");
    Registration first = runtime.beforeShutdown(action);
    runtime.beforeShutdown(action);
    first.close();
    first.close();
    runtime.close();
    assertThat(told).containsExactly("added twice, removed once", "stays");
    first.close();
  }

  @Test
  void actionThatDoesNotReturn_isInterrupted_andTheShutdownGoesOn() throws Exception {
    Pid resting = runtime.spawn(Kit.resting());
    CompletableFuture<Exit> exit = runtime.whenExited(resting);
    Kit.awaitIdle(runtime, resting);
    runtime.beforeShutdown(() -> {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        told.add(e);
      }
    });
    runtime.shutdown(Duration.ofSeconds(4)); // half of it is what is left for the processes
    assertThat(Kit.take(told)).isInstanceOf(InterruptedException.class);
    assertThat(Kit.get(exit).reason()).isIn(Exit.Reason.SHUTDOWN, Exit.Reason.TERMINATED);
  }

  @Test
  void interrupt_ofTheThreadThatShutsDown_reachesTheAction_andIsKept() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    runtime.beforeShutdown(() -> {
      begun.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        told.add(e);
      }
    });
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    Thread closing =
        Thread.ofPlatform()
            .start(() -> {
              runtime.shutdown(Kit.SOON);
              kept.complete(Thread.currentThread().isInterrupted());
            });
    begun.await();
    closing.interrupt();
    assertThat(Kit.get(kept)).isTrue();
    assertThat(Kit.take(told)).isInstanceOf(InterruptedException.class);
  }

  @Test
  void shutdownByAnAction_isRefused_ratherThanWaitForItself() {
    runtime.beforeShutdown(() -> {
      assertThatThrownBy(runtime::close)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("only return");
      told.add("refused");
    });
    runtime.close();
    assertThat(told).containsExactly("refused");
  }

  @Test
  void action_afterTheShutdownHasBegun_isRefused() {
    runtime.beforeShutdown(() ->
        assertThatThrownBy(() -> runtime.beforeShutdown(() -> told.add("never")))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("shutting down already"));
    runtime.beforeShutdown(() -> told.add("once"));
    runtime.close();
    assertThatThrownBy(() -> runtime.beforeShutdown(() -> told.add("never")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(told).containsExactly("once");
  }
}
