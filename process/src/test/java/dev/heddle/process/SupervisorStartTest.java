// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static dev.heddle.process.SupervisorLab.exit;
import static dev.heddle.process.SupervisorLab.pid;
import static dev.heddle.process.SupervisorLab.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStartException;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.process.supervisor.Supervisor.FirstStart;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// First starts that fail, supervisors that have started, and objects that were started before.
@Timeout(300)
@Tag("P13")
class SupervisorStartTest {
  private final SupervisorLab lab = new SupervisorLab();

  @AfterEach
  void end() {
    lab.close();
  }

  /// Its init fails.
  private static Process broken() {
    return new Process() {
      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        throw new IllegalStateException("no such host");
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {}
    };
  }

  /// Its init ends with the future.
  private static Process startsWith(CompletableFuture<String> future) {
    return new Process() {
      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        Kit.get(future);
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {}
    };
  }

  // ---- fail fast ----

  @Test
  @Tag("proc-256")
  void firstStart_thatFails_whereThatIsTheEnd_endsTheOthersAndTheSupervisor() throws Exception {
    lab.pauses = Kit.queue();
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .firstStart(FirstStart.FAIL)
                .child(spec("db"))
                .child(ChildSpec.of("web", SupervisorStartTest::broken).withAfter("db"))
                .build());
    Exit exit = Kit.exit(lab.runtime, supervisor);
    assertThat(exit.reason()).isEqualTo(Exit.Reason.FAILED);
    assertThat(exit.cause())
        .isInstanceOf(ChildStartException.class)
        .hasMessageContaining("'web'")
        .hasRootCauseMessage("no such host");
    assertThat(lab.next(2, State.FAILED, State.STOPPED))
        .containsExactly("web FAILED", "db STOPPED");
    assertThat(lab.delays).isEmpty();
  }

  @Test
  @Tag("proc-256")
  void firstStart_thatFails_atTheFactory_isOneToo() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .firstStart(FirstStart.FAIL)
                .child(
                    ChildSpec.of(
                            "job",
                            () -> {
                              throw new NoClassDefFoundError("a jar that is not there");
                            })
                        .withRestart(Restart.TEMPORARY))
                .build());
    assertThat(Kit.exit(lab.runtime, supervisor).cause())
        .isInstanceOf(ChildStartException.class)
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  @Tag("proc-321")
  void firstStart_thatEndsBeforeItIsReady_hasFailed_howeverItHasEnded() {
    Map<Exit.Reason, CoroutineProcess.Code> ends =
        Map.of(
            Exit.Reason.NORMAL,
            _ -> null,
            Exit.Reason.SHUTDOWN,
            _ -> {
              throw ProcessExitException.shutdown("nothing to do");
            });
    ends.forEach((reason, code) -> {
      Pid supervisor =
          lab.runtime.spawn(
              lab.supervisor()
                  .firstStart(FirstStart.FAIL)
                  .child(
                      ChildSpec.of("db", () -> CoroutineProcess.of(code).reportingReady())
                          .withRestart(Restart.TRANSIENT))
                  .build());
      assertThat(Kit.exit(lab.runtime, supervisor).cause())
          .isInstanceOf(ChildStartException.class)
          .hasMessageContaining("'db' has failed (" + reason + ")");
    });
  }

  @Test
  @Tag("proc-321")
  void child_whoseEndIsReadBeforeTheResultOfItsStart_hasNotFailedToStart() throws Exception {
    lab.runtime.spawn(
        SupervisorLab.readingResultsLate(
            lab.supervisor()
                .firstStart(FirstStart.FAIL)
                .child(
                    ChildSpec.of("job", () -> (_, out) -> out.done())
                        .withRestart(Restart.TRANSIENT))
                .build()));
    assertThat(lab.next(1, State.EXITED, State.FAILED)).containsExactly("job EXITED");
  }

  @Test
  @Tag("proc-321")
  void started_ofAProcessThatHasStartedAndEnded_isTrue_andOfOneThatNeverWas_isFalse() {
    Pid done = lab.runtime.spawn((_, out) -> out.done());
    Kit.exit(lab.runtime, done);
    assertThat(Kit.get(lab.runtime.whenStarted(done))).isTrue();
    Pid never = lab.runtime.spawn(SupervisorLab.neverReady());
    Kit.exit(lab.runtime, never);
    assertThat(Kit.get(lab.runtime.whenStarted(never))).isFalse();
  }

  @Test
  @Tag("proc-321")
  void temporaryChild_thatEndsBeforeItIsReady_hasFailed_andKeepsBackThoseAfterIt()
      throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of("migrate", SupervisorLab::neverReady)
                        .withRestart(Restart.TEMPORARY))
                .child(spec("web").withAfter("migrate"))
                .build());
    assertThat(lab.next(1, State.EXITED, State.FAILED)).containsExactly("migrate FAILED");
    assertThat(lab.children(supervisor))
        .extracting(ChildStatus::state)
        .containsExactly(State.FAILED, State.WAITING);
  }

  @Test
  @Tag("proc-321")
  void transientChild_thatIsDoneBeforeItIsReady_isTriedAgain_andOneThatWasAskedToEnd_isNot()
      throws Exception {
    AtomicInteger starts = new AtomicInteger();
    CompletableFuture<Pid> second = new CompletableFuture<>();
    CoroutineProcess.Code connecting =
        self -> {
          second.complete(self.context().self());
          return self.receive();
        };
    lab.runtime.spawn(
        lab.supervisor()
            .child(
                ChildSpec.of(
                        "db",
                        () ->
                            starts.incrementAndGet() == 1
                                ? SupervisorLab.neverReady()
                                : CoroutineProcess.of(connecting).reportingReady())
                    .withRestart(Restart.TRANSIENT))
            .build());
    assertThat(exit(lab.await("db", State.BACKING_OFF)).reason()).isEqualTo(Exit.Reason.NORMAL);
    lab.runtime.cancel(Kit.get(second), "enough", Kit.SOON);
    assertThat(exit(lab.await("db", State.FAILED)).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  @Tag("proc-323")
  void factoryThatFails_isTheEndOfNoProcess() throws Exception {
    lab.pauses = Kit.queue();
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of(
                        "db",
                        () -> {
                          throw new IllegalStateException("no such host");
                        }))
                .build());
    Exit exit = exit(lab.await("db", State.BACKING_OFF));
    assertThat(exit.cause()).hasMessage("no such host");
    assertThat(exit.pid()).isNotEqualTo(supervisor);
    assertThat(exit.pid().id()).isZero();
    assertThat(lab.runtime.process(exit.pid())).isNull();
  }

  @Test
  @Tag("proc-256")
  void laterFailure_whereAFirstStartMustSucceed_isRestarted() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(lab.supervisor().firstStart(FirstStart.FAIL).child(spec("db")).build());
    lab.runtime.send(pid(lab.await("db", State.RUNNING)), "boom");
    assertThat(lab.await("db", State.RUNNING).starts()).isEqualTo(2);
    lab.pauses = Kit.queue();
    Kit.get(
        lab.runtime.request(
            supervisor,
            new Supervisor.StartChild(ChildSpec.of("late", SupervisorStartTest::broken))));
    assertThat(lab.await("late", State.BACKING_OFF).starts()).isEqualTo(1);
  }

  @Test
  @Tag("proc-256")
  @Tag("proc-257")
  void firstStart_thatFails_belowASupervisorThatMustStart_endsTheWholeTree() throws Exception {
    Pid top =
        lab.runtime.spawn(
            lab.supervisor()
                .firstStart(FirstStart.FAIL)
                .child(
                    ChildSpec.of(
                        "mid",
                        () ->
                            lab.supervisor()
                                .firstStart(FirstStart.FAIL)
                                .child(ChildSpec.of("db", SupervisorStartTest::broken))
                                .build()))
                .build());
    assertThat(Kit.exit(lab.runtime, top).cause())
        .isInstanceOf(ChildStartException.class)
        .hasMessageContaining("'mid'")
        .hasRootCauseMessage("no such host");
  }

  // ---- a supervisor that has started ----

  @Test
  @Tag("proc-257")
  void supervisor_hasStarted_whenItsFirstChildrenHave() throws Exception {
    CompletableFuture<String> connected = new CompletableFuture<>();
    Pid top =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of(
                        "storage",
                        () ->
                            lab.supervisor()
                                .child(ChildSpec.of("db", () -> startsWith(connected)))
                                .child(spec("cache"))
                                .build()))
                .child(spec("web").withAfter("storage"))
                .build());
    lab.await("cache", State.RUNNING);
    Pid storage = pid(lab.children(top).getFirst());
    assertThat(lab.runtime.whenStarted(storage)).isNotDone();
    connected.complete("");
    assertThat(lab.next(3, State.RUNNING))
        .containsExactly("db RUNNING", "storage RUNNING", "web RUNNING");
  }

  @Test
  @Tag("proc-257")
  void supervisor_whoseTemporaryChildHasFailed_orWithoutChildren_hasStarted() throws Exception {
    Pid failed =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of("job", SupervisorStartTest::broken).withRestart(Restart.TEMPORARY))
                .build());
    assertThat(Kit.get(lab.runtime.whenStarted(failed))).isTrue();
    Pid empty = lab.runtime.spawn(lab.supervisor().build());
    assertThat(Kit.get(lab.runtime.whenStarted(empty))).isTrue();
  }

  @Test
  @Tag("proc-257")
  void supervisorHiddenInAProcess_thatDoesNotSayWhenItHasStarted_startsItsChildren()
      throws Exception {
    Supervisor hidden = lab.supervisor().child(spec("db")).build();
    Pid pid =
        lab.runtime.spawn(
            new Process() {
              @Override
              public void init(ProcessContext self, String method, @Nullable Object input) {
                hidden.init(self, method, input);
              }

              @Override
              public void step(List<ProcessEvent> events, StepOutput out) {
                hidden.step(events, out);
              }
            });
    lab.await("db", State.RUNNING);
    assertThat(lab.children(pid)).hasSize(1);
  }

  // ---- objects that were started before ----

  @Test
  @Tag("proc-258")
  void supervisorObject_spawnedTwice_failsTheSecondTime_andTheFirstGoesOn() throws Exception {
    Supervisor one = lab.supervisor().child(spec("db")).build();
    Pid first = lab.runtime.spawn(one);
    Pid db = pid(lab.await("db", State.RUNNING));
    Exit second = Kit.exit(lab.runtime, lab.runtime.spawn(one));
    assertThat(second.cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("spawned before");
    assertThat(lab.children(first)).extracting(ChildStatus::pid).containsExactly(db);
    lab.runtime.send(db, "boom");
    assertThat(lab.await("db", State.RUNNING).starts()).isEqualTo(2);
  }

  @Test
  @Tag("proc-258")
  void dynamicSupervisorObject_spawnedTwice_failsTheSecondTime_andTheFirstGoesOn() {
    DynamicSupervisor one = DynamicSupervisor.builder(SupervisorLab::child).build();
    Pid first = lab.runtime.spawn(one);
    Pid child = lab.ask(first, new DynamicSupervisor.StartChild());
    Exit second = Kit.exit(lab.runtime, lab.runtime.spawn(one));
    assertThat(second.cause()).hasMessageContaining("spawned before");
    Exit ended = lab.ask(first, new DynamicSupervisor.StopChild(child));
    assertThat(ended.pid()).isEqualTo(child);
  }

  @Test
  @Tag("proc-258")
  void nestedSupervisor_whoseFactoryReturnsTheSameObject_saysSo() throws Exception {
    lab.pauses = Kit.queue();
    Supervisor one = lab.supervisor().intensity(0, Duration.ofSeconds(1)).child(spec("db")).build();
    lab.runtime.spawn(lab.supervisor().child(ChildSpec.of("inner", () -> one)).build());
    lab.runtime.send(pid(lab.await("db", State.RUNNING)), "boom");
    lab.await("inner", State.BACKING_OFF);
    Kit.take(Objects.requireNonNull(lab.pauses)).complete(null);
    assertThat(exit(lab.await("inner", State.BACKING_OFF)).cause())
        .hasMessageContaining("call build() for each start");
  }

  @Test
  @Tag("proc-258")
  void builder_usedTwice_makesTwoSupervisors() throws Exception {
    Supervisor.Builder how = lab.supervisor().child(spec("db"));
    lab.runtime.spawn(how.build());
    Pid first = pid(lab.await("db", State.RUNNING));
    lab.runtime.spawn(how.build());
    assertThat(pid(lab.await("db", State.RUNNING))).isNotEqualTo(first);
  }

  @Test
  @Tag("proc-258")
  void intensity_withoutAPeriod_isRefused() {
    for (Duration period : new Duration[] {Duration.ZERO, Duration.ofSeconds(-1)}) {
      assertThatThrownBy(() -> lab.supervisor().intensity(3, period))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("positive period");
      assertThatThrownBy(() -> DynamicSupervisor.builder(SupervisorLab::child).intensity(3, period))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ---- children that are over ----

  @Test
  @Tag("proc-259")
  void restart_ofAChildThatIsOver_startsItAgain_andOfOneThatLives_isRefused() throws Exception {
    Pid supervisor = lab.runtime.spawn(lab.supervisor().child(spec("db")).build());
    lab.await("db", State.RUNNING);
    assertThatThrownBy(() -> lab.ask(supervisor, new Supervisor.RestartChild("db")))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is RUNNING");
    lab.ask(supervisor, new Supervisor.StopChild("db"));
    ChildStatus restarted = lab.ask(supervisor, new Supervisor.RestartChild("db"));
    assertThat(restarted.state()).isEqualTo(State.WAITING);
    assertThat(lab.await("db", State.RUNNING).starts()).isEqualTo(2);
  }

  @Test
  @Tag("proc-259")
  void remove_ofAChildThatIsOver_forgetsIt_unlessOthersAreAfterIt() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor().child(spec("db")).child(spec("web").withAfter("db")).build());
    lab.await("web", State.RUNNING);
    assertThatThrownBy(() -> lab.ask(supervisor, new Supervisor.RemoveChild("web")))
        .hasMessageContaining("end it before");
    lab.ask(supervisor, new Supervisor.StopChild("db"));
    assertThatThrownBy(() -> lab.ask(supervisor, new Supervisor.RemoveChild("db")))
        .hasMessageContaining("others are after it");
    lab.ask(supervisor, new Supervisor.StopChild("web"));
    lab.ask(supervisor, new Supervisor.RemoveChild("web"));
    lab.ask(supervisor, new Supervisor.RemoveChild("db"));
    assertThat(lab.children(supervisor)).isEmpty();
  }
}
