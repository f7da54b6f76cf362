// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Processes of nodes that this one is not in touch with, and was not in this cluster.
@Timeout(300)
@Tag("C4")
class UnreachableNodesTest {
  private static final Duration SOON = Duration.ofMinutes(4);

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).node("a").start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private static ClusterOptions options(String name, int port, int seed) {
    return ClusterOptions.named(name).bind("127.0.0.1", port).seeds("127.0.0.1:" + seed);
  }

  private static <T> T get(CompletableFuture<T> future) {
    return future.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }

  private void checkUnreachable(Pid pid) throws Exception {
    BlockingQueue<Object> got = new LinkedBlockingQueue<>();
    Pid watcher =
        runtime.spawn(
            CoroutineProcess.ofAction(self -> {
              self.context().trapExits();
              long _ = self.context().monitor(pid);
              got.add(self.receive());
              self.context().link(pid);
              got.add(self.receive());
              self.context().unlink(pid);
            }));
    Exit lost = new Exit(pid, Reason.NO_CONNECTION, null, null);
    assertThat(got.poll(4, TimeUnit.MINUTES))
        .isInstanceOfSatisfying(
            ProcessSignal.Down.class, down -> assertThat(down.exit()).isEqualTo(lost));
    assertThat(got.poll(4, TimeUnit.MINUTES)).isEqualTo(new ProcessSignal.LinkDown(lost));
    assertThat(get(runtime.whenExited(watcher)).reason()).isIn(Reason.NORMAL, Reason.NOT_FOUND);
    Pid linked = runtime.spawn(CoroutineProcess.ofAction(self -> self.context().link(pid)));
    assertThat(get(runtime.whenExited(linked)).reason()).isIn(Reason.LINKED, Reason.NOT_FOUND);
    assertThat(get(runtime.whenExited(pid))).isEqualTo(lost);
    assertThat(get(runtime.whenStarted(pid))).isFalse();
    assertThat(runtime.offer(pid, "x")).isEqualTo(SendResult.UNREACHABLE);
    unreachable(() -> runtime.send(pid, "x"));
    unreachable(() -> runtime.ask(pid, "x", SOON));
    unreachable(() -> runtime.terminate(pid));
    unreachable(() -> runtime.cancel(pid, "enough", SOON));
  }

  private static void unreachable(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SendFailedException.class,
            e -> assertThat(e.result()).isEqualTo(SendResult.UNREACHABLE));
  }

  @Test
  void pidOfANodeThatWasNeverInTouch_reportsNoConnection_afterLeaveToo() throws Exception {
    Pid never = new Pid("never", "main", 1, 7);
    assertThatThrownBy(() -> runtime.whenExited(never))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cluster.join(runtime, options)");
    int port = TestPorts.next();
    Cluster cluster = Cluster.join(runtime, options("a", port, port));
    checkUnreachable(never);
    cluster.leave(Duration.ofSeconds(1));
    checkUnreachable(never);
  }

  @Test
  void pidOfANodeThatWasInTouch_afterLeave_reportsNoConnection() throws Exception {
    int seed = TestPorts.next();
    Cluster cluster = Cluster.join(runtime, options("a", seed, seed));
    try (Cluster other = Cluster.join(options("b", TestPorts.next(), seed))) {
      ClusterTest.awaitUp(cluster, "b");
      Pid there = other.runtime().spawn((_, _) -> {});
      assertThat(get(runtime.whenStarted(there))).isTrue();
      cluster.leave(Duration.ofSeconds(1));
      checkUnreachable(there);
    }
  }
}
