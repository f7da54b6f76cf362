// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.pool.PoolRefusedException;
import dev.heddle.process.pool.PoolStatus;
import dev.heddle.process.pool.ProcessPool;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildStartException;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.DynamicChildStatus;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.RestartLimitException;
import dev.heddle.process.supervisor.Shutdown;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of supervisors and pools shows, compiled and run.
@Tag("once")
@Timeout(300)
class SupervisorSnippetsTest {
  private static final Duration LIMIT = Kit.SOON;

  private final List<Object> log = new CopyOnWriteArrayList<>();
  private final ProcessRuntime runtime = ProcessRuntime.start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private static Process database() {
    return (_, _) -> {};
  }

  private static Process web() {
    return database();
  }

  private static Process room(String name) {
    return CoroutineProcess.of(self -> name + " has ended: " + self.receive());
  }

  private static Process broken() {
    throw new IllegalStateException("no such host");
  }

  @Test
  void supervisor() throws Exception {
    // @start region=supervisor
    Supervisor shop =
        Supervisor.builder()
            .strategy(Supervisor.Strategy.REST_FOR_ONE)
            .intensity(3, Duration.ofMinutes(1)) // more restarts than that: it fails itself
            .backoff(
                Backoff.exponential(Duration.ofMillis(100)).withMaxDelay(Duration.ofSeconds(10)))
            .child(
                ChildSpec.of("database", () -> database())
                    .withOptions(StartOptions.defaults().withName("database"))
                    .withShutdown(Shutdown.within(Duration.ofSeconds(30))))
            .child(
                ChildSpec.of("web", () -> web())
                    .withAfter("database") // starts when the database has started
                    .withRestart(ChildSpec.Restart.TRANSIENT)) // only after a failure
            .build();
    Pid supervisor = runtime.spawn(shop);
    // @end
    assertThat(Kit.get(runtime.whenStarted(supervisor))).isTrue();
    // @start region=children
    List<ChildStatus> children = runtime.ask(supervisor, new Supervisor.WhichChildren(), LIMIT);
    for (ChildStatus child : children) {
      log.add(child.name() + " " + child.state() + ", start " + child.starts());
    }
    // @end
    assertThat(log).containsExactly("database RUNNING, start 1", "web RUNNING, start 1");
  }

  @Test
  void restartLimit() throws Exception {
    // @start region=restartLimit
    Pid supervisor =
        runtime.spawn(
            Supervisor.builder()
                .intensity(0, Duration.ofMinutes(1)) // no restart at all
                .child(ChildSpec.of("database", () -> broken()))
                .build());
    Exit exit = runtime.awaitExit(supervisor, LIMIT);
    if (exit.cause() instanceof RestartLimitException e) {
      log.add("gave up after " + e.getCause());
    }
    // @end
    assertThat(log).hasSize(1);
  }

  @Test
  void childStart() throws Exception {
    // @start region=childStart
    Pid supervisor =
        runtime.spawn(
            Supervisor.builder()
                .firstStart(Supervisor.FirstStart.FAIL) // rather than trying again
                .child(ChildSpec.of("database", () -> broken()))
                .build());
    Exit exit = runtime.awaitExit(supervisor, LIMIT);
    if (exit.cause() instanceof ChildStartException e) {
      log.add("cannot start: " + e.getMessage()); // for the operator, at once
    }
    // @end
    assertThat(log).singleElement().asString().contains("database");
  }

  @Test
  void dynamic() throws Exception {
    // @start region=dynamic
    Pid rooms =
        runtime.spawn(
            DynamicSupervisor.builder(String.class, name -> room(name))
                .maxChildren(100)
                .restart(ChildSpec.Restart.TEMPORARY) // never restarted
                .build());
    Pid lobby = runtime.ask(rooms, new DynamicSupervisor.StartChild("lobby"), LIMIT);
    List<DynamicChildStatus> open =
        runtime.ask(rooms, new DynamicSupervisor.WhichChildren(), LIMIT);
    for (DynamicChildStatus room : open) {
      log.add(room.argument() + " is " + room.pid());
    }
    // @end
    assertThat(log).containsExactly("lobby is " + lobby);
  }

  @Test
  void pool() throws Exception {
    // @start region=pool
    Pid pool =
        runtime.spawn(
            ProcessPool.of(() -> thumbnailer()).members(1, 4).queueCapacity(1_000).build());
    String small = runtime.ask(pool, "cat.jpg", LIMIT); // to a member that is free
    PoolStatus status = runtime.ask(pool, new ProcessPool.GetStatus(), LIMIT);
    log.add(small + ", " + status.calls() + " calls");
    // @end
    assertThat(log).containsExactly("small cat.jpg, 1 calls");
  }

  private static Process thumbnailer() {
    return (events, _) -> {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request request) {
          request.reply().complete("small " + request.message());
        }
      }
    };
  }

  @Test
  void poolRefused() throws Exception {
    Pid pool =
        runtime.spawn(ProcessPool.of(() -> Kit.resting()).members(1, 1).queueCapacity(1).build());
    List<CompletableFuture<String>> calls =
        List.of(runtime.request(pool, "never served"), runtime.request(pool, "in the queue"));
    // @start region=poolRefused
    try {
      log.add(runtime.ask(pool, "cat.jpg", LIMIT));
    } catch (AskFailedException e) {
      if (e.getCause() instanceof PoolRefusedException) {
        log.add("busy, try later"); // all members are busy and the queue is full
      }
    }
    // @end
    assertThat(log).containsExactly("busy, try later");
    assertThat(calls).noneMatch(CompletableFuture::isDone);
  }
}
