// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static dev.heddle.process.SupervisorLab.exit;
import static dev.heddle.process.SupervisorLab.pid;
import static dev.heddle.process.SupervisorLab.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.Shutdown;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.process.supervisor.Supervisor.AutoShutdown;
import dev.heddle.process.supervisor.Supervisor.Strategy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How supervisors end their children, and by which ends they end themselves.
@Timeout(300)
@Tag("P13")
class SupervisorEndTest {
  private final SupervisorLab lab = new SupervisorLab();

  @AfterEach
  void end() {
    lab.close();
  }

  /// How long a child was given, that traps exits and was asked to end.
  private static Duration time(CompletableFuture<ProcessSignal.Cancel> asked) {
    return Kit.get(asked).remaining();
  }

  // ---- how long a child has ----

  @Test
  @Tag("proc-250")
  void shutdown_ofAChild_isTheTimeOfItsSpecification() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of("a", () -> SupervisorLab.stubborn(asked))
                        .withShutdown(Duration.ofDays(2)))
                .build());
    Pid child = pid(lab.await("a", State.RUNNING));
    var ended = lab.runtime.request(supervisor, new Supervisor.StopChild("a"));
    assertThat(time(asked)).isBetween(Duration.ofDays(1), Duration.ofDays(3));
    lab.runtime.send(child, "now");
    assertThat(exit((ChildStatus) Kit.get(ended)).reason()).isEqualTo(Exit.Reason.NORMAL);
  }

  @Test
  @Tag("proc-250")
  void shutdown_unlimited_waitsForHoweverLongItTakes() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of("a", () -> SupervisorLab.stubborn(asked))
                        .withShutdown(Shutdown.unlimited()))
                .build());
    Pid child = pid(lab.await("a", State.RUNNING));
    var ended = lab.runtime.request(supervisor, new Supervisor.StopChild("a"));
    assertThat(time(asked)).isGreaterThan(Duration.ofDays(10_000));
    lab.runtime.send(child, "now");
    assertThat(exit((ChildStatus) Kit.get(ended)).reason()).isEqualTo(Exit.Reason.NORMAL);
  }

  @Test
  @Tag("proc-250")
  void shutdown_immediate_asksNothing() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of("a", () -> SupervisorLab.stubborn(asked))
                        .withShutdown(Shutdown.immediate()))
                .build());
    lab.await("a", State.RUNNING);
    ChildStatus ended = lab.ask(supervisor, new Supervisor.StopChild("a"));
    assertThat(ended.state()).isEqualTo(State.STOPPED);
    assertThat(exit(ended).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(asked).isNotDone();
  }

  @Test
  @Tag("proc-250")
  void nestedSupervisors_withUsualTimes_cutNoGrandchild() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid top =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of(
                        "mid",
                        () ->
                            lab.supervisor()
                                .child(
                                    ChildSpec.of("worker", () -> SupervisorLab.stubborn(asked))
                                        .withShutdown(Duration.ofDays(2)))
                                .build()))
                .build());
    Pid worker = pid(lab.await("worker", State.RUNNING));
    var ended = lab.runtime.request(top, new Supervisor.StopChild("mid"));
    assertThat(time(asked)).isGreaterThan(Duration.ofDays(1));
    lab.runtime.send(worker, "now");
    assertThat(exit((ChildStatus) Kit.get(ended)).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(exit(lab.await("worker", State.STOPPED)).reason()).isEqualTo(Exit.Reason.NORMAL);
  }

  @Test
  @Tag("proc-250")
  void supervisorInAProcessOfYourOwn_saidToBeOne_hasNoLimit() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid top =
        lab.runtime.spawn(
            lab.supervisor()
                .child(ChildSpec.supervisor("mid", () -> SupervisorLab.stubborn(asked)))
                .build());
    Pid mid = pid(lab.await("mid", State.RUNNING));
    var ended = lab.runtime.request(top, new Supervisor.StopChild("mid"));
    assertThat(time(asked)).isGreaterThan(Duration.ofDays(10_000));
    lab.runtime.send(mid, "now");
    Kit.get(ended);
  }

  @Test
  @Tag("proc-250")
  void deadlineFromAbove_winsOverTimesBelow() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid top =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of(
                        "mid",
                        () ->
                            lab.supervisor()
                                .child(
                                    ChildSpec.of("worker", () -> SupervisorLab.stubborn(asked))
                                        .withShutdown(Shutdown.unlimited()))
                                .build()))
                .build());
    Pid worker = pid(lab.await("worker", State.RUNNING));
    var exit = lab.runtime.whenExited(top);
    lab.runtime.cancel(top, "enough", Duration.ofDays(3));
    assertThat(time(asked)).isLessThan(Duration.ofDays(4));
    lab.runtime.send(worker, "now");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  void shutdown_ofLessThanNoTime_isRefused() {
    assertThatThrownBy(() -> spec("a").withShutdown(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("immediate()");
  }

  // ---- ends that are no failures ----

  @Test
  @Tag("proc-251")
  void transientChild_thatWasRequestedToExit_staysEnded() throws Exception {
    lab.runtime.spawn(lab.supervisor().child(spec("job").withRestart(Restart.TRANSIENT)).build());
    lab.runtime.cancel(pid(lab.await("job", State.RUNNING)), "enough", Kit.SOON);
    ChildStatus ended = lab.await("job", State.EXITED);
    assertThat(exit(ended).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(ended.starts()).isEqualTo(1);
    assertThat(lab.delays).isEmpty();
  }

  @Test
  @Tag("proc-251")
  void transientChild_thatWasTerminated_isStartedAgain() throws Exception {
    lab.runtime.spawn(lab.supervisor().child(spec("job").withRestart(Restart.TRANSIENT)).build());
    lab.runtime.terminate(pid(lab.await("job", State.RUNNING)));
    assertThat(lab.await("job", State.RUNNING).starts()).isEqualTo(2);
  }

  @Test
  @Tag("proc-251")
  void permanentChild_thatWasRequestedToExit_isStartedAgain() throws Exception {
    lab.runtime.spawn(lab.supervisor().child(spec("db")).build());
    lab.runtime.cancel(pid(lab.await("db", State.RUNNING)), "enough", Kit.SOON);
    assertThat(lab.await("db", State.RUNNING).starts()).isEqualTo(2);
  }

  // ---- significant children ----

  private static ChildSpec significant(String name) {
    return spec(name).withRestart(Restart.TRANSIENT).significant();
  }

  @Test
  @Tag("proc-255")
  void anySignificantChild_thatIsDone_endsTheSupervisor() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .autoShutdown(AutoShutdown.ANY)
                .child(spec("db"))
                .child(significant("one"))
                .child(significant("two"))
                .build());
    var exit = lab.runtime.whenExited(supervisor);
    assertThat(lab.next(3, State.RUNNING)).hasSize(3);
    lab.runtime.send(pid(lab.children(supervisor).get(1)), "done");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(lab.next(3, State.EXITED, State.STOPPED))
        .containsExactly("one EXITED", "two STOPPED", "db STOPPED");
  }

  @Test
  @Tag("proc-255")
  void allSignificantChildren_thatAreDone_endTheSupervisor_notTheFirst() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .autoShutdown(AutoShutdown.ALL)
                .child(spec("db"))
                .child(significant("one"))
                .child(significant("two"))
                .build());
    var exit = lab.runtime.whenExited(supervisor);
    assertThat(lab.next(3, State.RUNNING)).hasSize(3);
    lab.runtime.send(pid(lab.children(supervisor).get(1)), "done");
    lab.await("one", State.EXITED);
    assertThat(lab.children(supervisor).stream().map(ChildStatus::state))
        .containsExactly(State.RUNNING, State.EXITED, State.RUNNING);
    lab.runtime.send(pid(lab.children(supervisor).get(2)), "done");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  @Tag("proc-255")
  void significantChild_thatFails_isStartedAgain_andOneThatWasEnded_endsNothing() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor().autoShutdown(AutoShutdown.ANY).child(significant("one")).build());
    lab.runtime.send(pid(lab.await("one", State.RUNNING)), "boom");
    assertThat(lab.await("one", State.RUNNING).starts()).isEqualTo(2);
    ChildStatus ended = lab.ask(supervisor, new Supervisor.StopChild("one"));
    assertThat(ended.state()).isEqualTo(State.STOPPED);
    assertThat(lab.children(supervisor)).hasSize(1);
  }

  @Test
  @Tag("proc-255")
  void significantChild_thatIsPermanent_orOfASupervisorWithoutAutoShutdown_isRefused() {
    assertThatThrownBy(() ->
            lab.supervisor()
                .autoShutdown(AutoShutdown.ANY)
                .child(spec("one").significant())
                .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PERMANENT");
    assertThatThrownBy(() -> lab.supervisor().child(significant("one")).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("autoShutdown, here NEVER");
  }

  // ---- order ----

  @Test
  void manyChildren_endLastFirst_oneAfterTheOther() throws Exception {
    Supervisor.Builder how = lab.supervisor().strategy(Strategy.ONE_FOR_ALL);
    for (int i = 0; i < 300; i++) { // more than a supervisor starts in one step
      how.child(spec("c" + i));
    }
    Pid supervisor = lab.runtime.spawn(how.build());
    List<String> started = lab.next(300, State.STARTING);
    assertThat(started).element(299).isEqualTo("c299 STARTING");
    assertThat(lab.cancel(supervisor).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    List<String> ended = lab.next(600, State.STOPPING, State.STOPPED);
    for (int i = 0; i < 300; i++) {
      assertThat(ended.subList(2 * i, 2 * i + 2))
          .containsExactly("c" + (299 - i) + " STOPPING", "c" + (299 - i) + " STOPPED");
    }
  }
}
