// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.dispatch.TimeCommands.Pause;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.RestartLimitException;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.process.supervisor.Supervisor.Strategy;
import dev.heddle.process.supervisor.TestClock;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Supervisors: starts, restarts, ends.
@Timeout(300)
@Tag("P13")
class SupervisorTest {
  private final BlockingQueue<ChildStatus> changes = Kit.queue();
  private final BlockingQueue<Duration> delays = Kit.queue();
  private final AtomicLong now = new AtomicLong();
  // a pause is over at once, unless a test wants to see to it
  private volatile @Nullable BlockingQueue<Invocation<@Nullable Object>> pauses;
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .handler(
              Pause.class,
              CommandHandler.inline((pause, invocation) -> {
                delays.add(pause.time());
                var held = pauses;
                if (held != null) {
                  held.add(invocation);
                } else {
                  invocation.complete(null);
                }
              }))
          .start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private Supervisor.Builder supervisor() {
    return TestClock.supervisor(now::get)
        .listener(changes::add)
        .backoff(Backoff.exponential(Duration.ofMillis(100)).withMaxDelay(Duration.ofSeconds(2)));
  }

  /// Fails with the text it is sent; "done" is its normal end.
  private static Process child() {
    return (events, out) -> {
      for (ProcessEvent event : events) {
        if ("done".equals(event.data())) {
          out.done();
        } else {
          throw new IllegalStateException("" + event.data());
        }
      }
    };
  }

  private static ChildSpec spec(String name) {
    return ChildSpec.of(name, SupervisorTest::child);
  }

  private ChildStatus await(String name, State state) throws InterruptedException {
    while (true) {
      ChildStatus change = Kit.take(changes);
      if (change.name().equals(name) && change.state() == state) {
        return change;
      }
    }
  }

  /// The next changes to one of these states, in order, as `name STATE`.
  private List<String> next(int count, State... states) throws InterruptedException {
    List<String> seen = new ArrayList<>();
    while (seen.size() < count) {
      ChildStatus change = Kit.take(changes);
      if (List.of(states).contains(change.state())) {
        seen.add(change.name() + " " + change.state());
      }
    }
    return seen;
  }

  private List<ChildStatus> children(Pid supervisor) {
    CompletableFuture<List<ChildStatus>> answer =
        runtime.request(supervisor, new Supervisor.WhichChildren());
    return Kit.get(answer);
  }

  private static Pid pid(ChildStatus status) {
    return Objects.requireNonNull(status.pid());
  }

  @Test
  @Tag("proc-175")
  void start_thatFailsOnce_isTriedAgain() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    runtime.spawn(
        supervisor()
            .child(
                ChildSpec.of(
                    "db",
                    () -> {
                      if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                      }
                      return child();
                    }))
            .build());
    ChildStatus running = await("db", State.RUNNING);
    assertThat(running.starts()).isEqualTo(2);
    assertThat(attempts).hasValue(2);
    assertThat(Objects.requireNonNull(running.exit()).cause()).hasMessage("not yet");
  }

  @Test
  @Tag("proc-175")
  void init_thatFails_isAFailedStart() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    runtime.spawn(
        supervisor()
            .child(
                ChildSpec.of(
                    "db",
                    () ->
                        new Process() {
                          @Override
                          public void init(
                              ProcessContext self, String method, @Nullable Object input) {
                            if (attempts.incrementAndGet() == 1) {
                              throw new IllegalStateException("not yet");
                            }
                          }

                          @Override
                          public void step(List<ProcessEvent> events, StepOutput out) {}
                        }))
            .build());
    assertThat(next(4, State.values()))
        .containsExactly("db STARTING", "db BACKING_OFF", "db WAITING", "db STARTING");
    assertThat(await("db", State.RUNNING).starts()).isEqualTo(2);
  }

  @Test
  @Tag("proc-176")
  @Tag("proc-182")
  void normalEnd_isExited_ofATransientChild_andRestarted_ofAPermanentOne() throws Exception {
    Pid supervisor =
        runtime.spawn(
            supervisor()
                .child(
                    ChildSpec.of("job", () -> (_, out) -> out.done())
                        .withRestart(Restart.TRANSIENT))
                .child(spec("db"))
                .build());
    ChildStatus exited = await("job", State.EXITED);
    assertThat(exited.starts()).isEqualTo(1);
    assertThat(Objects.requireNonNull(exited.exit()).reason()).isEqualTo(Exit.Reason.NORMAL);
    runtime.send(pid(children(supervisor).get(1)), "done");
    assertThat(await("db", State.BACKING_OFF).exit()).isNotNull();
    assertThat(await("db", State.RUNNING).starts()).isEqualTo(2);
  }

  @Test
  @Tag("proc-182")
  void failure_isReported_andATemporaryChildStaysFailed() throws Exception {
    runtime.spawn(supervisor().child(spec("job").withRestart(Restart.TEMPORARY)).build());
    runtime.send(pid(await("job", State.RUNNING)), "boom");
    ChildStatus failed = await("job", State.FAILED);
    assertThat(Objects.requireNonNull(failed.exit()).cause()).hasMessage("boom");
    assertThat(delays).isEmpty();
  }

  @Test
  @Tag("proc-221")
  @Tag("proc-178")
  void delays_grow_upToTheMaximum_andAreShortAgainAfterAQuietTime() throws Exception {
    runtime.spawn(supervisor().intensity(100, Duration.ofDays(1)).child(spec("db")).build());
    List<Long> seen = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      runtime.send(pid(await("db", State.RUNNING)), "boom");
      seen.add(Kit.take(delays).toMillis());
    }
    assertThat(seen).containsExactly(100L, 200L, 400L, 800L, 1600L, 2000L, 2000L);
    Pid db = pid(await("db", State.RUNNING));
    now.addAndGet(Duration.ofSeconds(2).toNanos());
    runtime.send(db, "boom");
    assertThat(Kit.take(delays)).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  @Tag("proc-221")
  void jitter_takesAPartAway_neverMore() {
    Backoff backoff =
        Backoff.exponential(Duration.ofSeconds(1))
            .withMaxDelay(Duration.ofSeconds(8))
            .withJitter(0.5)
            .withRandom(new Random(42));
    for (int retry = 1; retry <= 1000; retry++) {
      long full = Math.min(1L << Math.min(retry - 1, 3), 8) * 1000;
      assertThat(backoff.delay(retry, Duration.ZERO).toMillis()).isBetween(full / 2, full);
    }
    assertThatThrownBy(() -> backoff.withJitter(1.1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void pause_letsItsTimePass() throws Exception {
    try (ProcessRuntime real = ProcessRuntime.builder().workers(1).start()) {
      Duration delay = Duration.ofMillis(20);
      real.spawn(supervisor().backoff(Backoff.constant(delay)).child(spec("db")).build());
      Pid first = pid(await("db", State.RUNNING));
      long before = System.nanoTime();
      real.send(first, "boom");
      await("db", State.RUNNING);
      assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(delay.toNanos());
    }
  }

  @Test
  void timesBeyondAllCalendars_areLongOnes() throws Exception {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    Pid supervisor =
        runtime.spawn(
            supervisor()
                .intensity(2, forever)
                .backoff(Backoff.exponential(Duration.ofMillis(100)).withMaxDelay(forever))
                .child(spec("db"))
                .build());
    var exit = runtime.whenExited(supervisor);
    for (int i = 0; i < 3; i++) {
      runtime.send(pid(await("db", State.RUNNING)), "boom");
    }
    assertThat(Kit.get(exit).cause()).isInstanceOf(RestartLimitException.class);
  }

  @Test
  void tooManyRestarts_endTheChildren_andFailTheSupervisor() throws Exception {
    Pid supervisor =
        runtime.spawn(
            supervisor()
                .intensity(2, Duration.ofSeconds(5))
                .child(spec("db"))
                .child(spec("web"))
                .build());
    var exit = runtime.whenExited(supervisor);
    assertThat(next(2, State.RUNNING)).contains("db RUNNING");
    Pid db = pid(children(supervisor).getFirst());
    var exitOfWeb = runtime.whenExited(pid(children(supervisor).getLast()));
    for (int i = 0; i < 3; i++) {
      runtime.send(db, "boom " + i);
      if (i < 2) {
        db = pid(await("db", State.RUNNING));
      }
    }
    assertThat(Kit.get(exit).cause())
        .isInstanceOf(RestartLimitException.class)
        .hasMessageContaining("'db'")
        .hasMessageContaining("2 restarts")
        .hasRootCauseMessage("boom 2");
    assertThat(Kit.get(exitOfWeb).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  void restarts_thatLieApart_areNotTooMany() throws Exception {
    runtime.spawn(supervisor().intensity(1, Duration.ofSeconds(5)).child(spec("db")).build());
    for (int i = 0; i < 5; i++) {
      Pid db = pid(await("db", State.RUNNING));
      now.addAndGet(Duration.ofSeconds(5).toNanos());
      runtime.send(db, "boom");
    }
    assertThat(await("db", State.RUNNING).starts()).isEqualTo(6);
  }

  @Test
  void oneForOne_leavesTheSiblingsAlone() throws Exception {
    Pid supervisor = three(Strategy.ONE_FOR_ONE);
    List<ChildStatus> before = children(supervisor);
    runtime.send(pid(before.get(1)), "boom");
    await("b", State.RUNNING);
    List<ChildStatus> after = children(supervisor);
    assertThat(after.get(0).pid()).isEqualTo(before.get(0).pid());
    assertThat(after.get(1).pid()).isNotEqualTo(before.get(1).pid());
    assertThat(after.get(2).pid()).isEqualTo(before.get(2).pid());
  }

  @Test
  void oneForAll_endsTheOthers_lastFirst_andStartsAllInOrder() throws Exception {
    Pid supervisor = three(Strategy.ONE_FOR_ALL);
    runtime.send(pid(children(supervisor).get(1)), "boom");
    assertThat(next(8, State.STOPPING, State.BACKING_OFF, State.STARTING))
        .containsExactly(
            "b BACKING_OFF",
            "c STOPPING",
            "c BACKING_OFF",
            "a STOPPING",
            "a BACKING_OFF",
            "a STARTING",
            "b STARTING",
            "c STARTING");
    assertThat(delays).hasSize(1);
  }

  @Test
  void restForOne_restartsWhatWasNamedAfterIt() throws Exception {
    Pid supervisor = three(Strategy.REST_FOR_ONE);
    List<ChildStatus> before = children(supervisor);
    runtime.send(pid(before.get(1)), "boom");
    assertThat(next(5, State.STOPPING, State.BACKING_OFF, State.STARTING))
        .containsExactly(
            "b BACKING_OFF", "c STOPPING", "c BACKING_OFF", "b STARTING", "c STARTING");
    assertThat(children(supervisor).getFirst().pid()).isEqualTo(before.getFirst().pid());
  }

  @Test
  void aFurtherFailure_duringARecovery_isMergedIntoIt() throws Exception {
    BlockingQueue<Invocation<@Nullable Object>> held = Kit.queue();
    Pid supervisor = three(Strategy.REST_FOR_ONE);
    pauses = held;
    List<ChildStatus> before = children(supervisor);
    runtime.send(pid(before.get(1)), "boom");
    Invocation<@Nullable Object> first = Kit.take(held);
    runtime.send(pid(before.get(0)), "boom");
    Invocation<@Nullable Object> second = Kit.take(held);
    assertThat(first.complete(null)).isFalse();
    second.complete(null);
    assertThat(next(3, State.STARTING)).containsExactly("a STARTING", "b STARTING", "c STARTING");
  }

  private Pid three(Strategy strategy) throws InterruptedException {
    Pid supervisor =
        runtime.spawn(
            supervisor()
                .strategy(strategy)
                .child(spec("a"))
                .child(spec("b").withAfter("a"))
                .child(spec("c").withAfter("b"))
                .build());
    assertThat(next(3, State.STARTING)).containsExactly("a STARTING", "b STARTING", "c STARTING");
    await("c", State.RUNNING);
    return supervisor;
  }

  @Test
  @Tag("proc-180")
  void children_startAfterThoseTheyAreAfter_aFailedOneKeepsBackOnlyThose() throws Exception {
    BlockingQueue<Invocation<@Nullable Object>> held = Kit.queue();
    pauses = held;
    AtomicInteger attempts = new AtomicInteger();
    runtime.spawn(
        supervisor()
            .child(
                ChildSpec.of(
                    "db",
                    () -> {
                      if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                      }
                      return child();
                    }))
            .child(spec("users").withAfter("db"))
            .child(spec("cache"))
            .child(spec("web").withAfter("cache"))
            .build());
    assertThat(next(4, State.STARTING, State.RUNNING))
        .containsExactly("db STARTING", "cache STARTING", "cache RUNNING", "web STARTING");
    Kit.take(held).complete(null);
    await("db", State.STARTING);
    assertThat(next(2, State.STARTING, State.RUNNING)).contains("db RUNNING");
    await("users", State.RUNNING);
  }

  @Test
  @Tag("proc-180")
  void independentChildren_startWithoutWaitingForEachOther() throws Exception {
    CompletableFuture<@Nullable Void> bothIn = new CompletableFuture<>();
    AtomicInteger in = new AtomicInteger();
    ChildSpec waitsForTheOther =
        ChildSpec.of(
            "a",
            () ->
                new Process() {
                  @Override
                  public void init(ProcessContext self, String method, @Nullable Object input) {
                    if (in.incrementAndGet() == 2) {
                      bothIn.complete(null);
                    }
                    Kit.get(bothIn);
                  }

                  @Override
                  public void step(List<ProcessEvent> events, StepOutput out) {}
                });
    ChildSpec other = ChildSpec.of("b", waitsForTheOther.factory());
    runtime.spawn(supervisor().child(waitsForTheOther).child(other).build());
    assertThat(next(2, State.RUNNING)).containsExactlyInAnyOrder("a RUNNING", "b RUNNING");
  }

  @Test
  void cancel_endsTheChildren_lastFirst_thenTheSupervisor() throws Exception {
    Pid supervisor = three(Strategy.ONE_FOR_ONE);
    var exit = runtime.whenExited(supervisor);
    runtime.cancel(supervisor, "enough", Kit.SOON);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(next(6, State.STOPPING, State.STOPPED))
        .containsExactly(
            "c STOPPING", "c STOPPED", "b STOPPING", "b STOPPED", "a STOPPING", "a STOPPED");
  }

  @Test
  void shutdownOfTheRuntime_endsTheChildren_lastFirst() throws Exception {
    three(Strategy.ONE_FOR_ONE);
    assertThat(runtime.shutdown(Kit.SOON).terminated()).isZero();
    assertThat(next(6, State.STOPPING, State.STOPPED))
        .containsExactly(
            "c STOPPING", "c STOPPED", "b STOPPING", "b STOPPED", "a STOPPING", "a STOPPED");
  }

  @Test
  @Tag("proc-179")
  void cancel_duringAPendingRetry_callsItOff() throws Exception {
    BlockingQueue<Invocation<@Nullable Object>> held = Kit.queue();
    pauses = held;
    Pid supervisor = runtime.spawn(supervisor().child(spec("db")).build());
    runtime.send(pid(await("db", State.RUNNING)), "boom");
    Invocation<@Nullable Object> pause = Kit.take(held);
    var exit = runtime.whenExited(supervisor);
    runtime.cancel(supervisor, "enough", Kit.SOON);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(pause.isOpen()).isFalse();
    assertThat(await("db", State.STOPPED).starts()).isEqualTo(1);
  }

  @Test
  void shutdownTime_isUp_theChildIsTerminated() throws Exception {
    ChildSpec stubborn =
        ChildSpec.of("a", () -> SupervisorLab.stubborn(new CompletableFuture<>()))
            .withShutdown(Duration.ofMillis(1));
    Pid supervisor = runtime.spawn(supervisor().child(stubborn).build());
    await("a", State.RUNNING);
    var exit = runtime.whenExited(supervisor);
    runtime.cancel(supervisor, "enough", Kit.SOON);
    Kit.get(exit);
    assertThat(Objects.requireNonNull(await("a", State.STOPPED).exit()).reason())
        .isEqualTo(Exit.Reason.TERMINATED);
  }

  @Test
  void terminate_takesTheChildrenAlong() throws Exception {
    Pid supervisor = runtime.spawn(supervisor().child(spec("a")).build());
    var exit = runtime.whenExited(pid(await("a", State.RUNNING)));
    runtime.terminate(supervisor);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.LINKED);
  }

  @Test
  @Tag("proc-182")
  void addAndEnd_areAnswered() throws Exception {
    Pid supervisor = three(Strategy.ONE_FOR_ONE);
    ChildStatus added =
        Kit.get(runtime.request(supervisor, new Supervisor.StartChild(spec("d").withAfter("c"))));
    assertThat(added.state()).isEqualTo(State.WAITING);
    await("d", State.RUNNING);
    ChildStatus ended = Kit.get(runtime.request(supervisor, new Supervisor.StopChild("a")));
    assertThat(ended.state()).isEqualTo(State.STOPPED);
    assertThat(children(supervisor).stream().map(ChildStatus::state))
        .containsExactly(State.STOPPED, State.RUNNING, State.RUNNING, State.RUNNING);
    assertThatThrownBy(() -> runtime.ask(supervisor, new Supervisor.StopChild("x"), Kit.SOON))
        .isInstanceOf(AskFailedException.class)
        .hasMessageContaining("no child 'x'");
    assertThatThrownBy(
            () -> runtime.ask(supervisor, new Supervisor.StartChild(spec("d")), Kit.SOON))
        .hasMessageContaining("'d' already");
  }

  @Test
  void supervisors_nest_aFailedOneIsRestartedWithItsChildren() throws Exception {
    Pid outer =
        runtime.spawn(
            supervisor()
                .child(
                    ChildSpec.of(
                        "inner",
                        () ->
                            supervisor()
                                .intensity(0, Duration.ofSeconds(1))
                                .child(spec("db"))
                                .build()))
                .build());
    Pid db = pid(await("db", State.RUNNING));
    runtime.send(db, "boom");
    assertThat(await("db", State.RUNNING).pid()).isNotEqualTo(db);
    assertThat(children(outer).getFirst().starts()).isEqualTo(2);
  }

  @Test
  void aChild_afterOneThatIsNotNamedBefore_isRefused() {
    assertThatThrownBy(() -> supervisor().child(spec("a").withAfter("b")).child(spec("b")).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name it before");
  }

  @Test
  void aChildWhoseNameIsAnothers_isAFailedStart_untilTheNameIsFree() throws Exception {
    BlockingQueue<Invocation<@Nullable Object>> held = Kit.queue();
    pauses = held;
    StartOptions named = StartOptions.defaults().withName("db");
    Pid other = runtime.spawn(Kit.resting(), named);
    runtime.spawn(supervisor().child(spec("child").withOptions(named)).build());
    ChildStatus backingOff = await("child", State.BACKING_OFF);
    assertThat(Objects.requireNonNull(backingOff.exit()).cause())
        .hasMessageContaining("belongs to " + other);
    var exit = runtime.whenExited(other);
    runtime.terminate(other);
    Kit.get(exit);
    Kit.take(held).complete(null);
    assertThat(await("child", State.RUNNING).pid()).isEqualTo(runtime.whereIs("db"));
  }

  @Test
  void aChildWithTheNameOfItsSibling_isAFailedStart_andTheSiblingGoesOn() throws Exception {
    pauses = Kit.queue();
    StartOptions named = StartOptions.defaults().withName("db");
    Pid supervisor =
        runtime.spawn(
            supervisor()
                .child(spec("one").withOptions(named))
                .child(spec("two").withOptions(named).withAfter("one"))
                .build());
    Pid one = pid(await("one", State.RUNNING));
    ChildStatus two = await("two", State.BACKING_OFF);
    assertThat(Objects.requireNonNull(two.exit()).cause())
        .hasMessageContaining("belongs to " + one);
    assertThat(children(supervisor).getFirst().state()).isEqualTo(State.RUNNING);
  }

  @Test
  @Tag("proc-213")
  void anErrorOfAFactory_isAFailedStart_andCostsNoSibling() throws Exception {
    pauses = Kit.queue();
    ChildSpec broken =
        ChildSpec.of(
            "broken",
            () -> {
              throw new NoClassDefFoundError("a jar that is not there");
            });
    Pid supervisor =
        runtime.spawn(supervisor().child(spec("db")).child(broken.withAfter("db")).build());
    Pid db = pid(await("db", State.RUNNING));
    ChildStatus failed = await("broken", State.BACKING_OFF);
    assertThat(Objects.requireNonNull(failed.exit()).cause())
        .isInstanceOf(NoClassDefFoundError.class);
    assertThat(children(supervisor).getFirst().pid()).isEqualTo(db);
  }
}
