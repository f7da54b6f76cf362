// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.pool.ProcessPool;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.Shutdown;
import dev.heddle.process.supervisor.Supervisor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Children that trap exits, behind a supervisor or a pool that was ended without being asked, or
/// had no more time.
@Timeout(300)
@Tag("P13")
class SupervisorCutTest {
  private final SupervisorLab lab = new SupervisorLab();

  @AfterEach
  void end() {
    lab.close();
  }

  /// Traps exits, and hears nothing but "now": neither a request to end nor the end of its parent.
  private static Process deaf(CompletableFuture<ProcessSignal.Cancel> asked) {
    return new Process() {
      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        self.trapExits();
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          if (event.data() instanceof ProcessSignal.Cancel cancel) {
            asked.complete(cancel);
          } else if ("now".equals(event.data())) {
            out.done();
          }
        }
      }
    };
  }

  private static ChildSpec deaf(
      String name, CompletableFuture<ProcessSignal.Cancel> asked, Shutdown how) {
    return ChildSpec.of(name, () -> deaf(asked))
        .withOptions(StartOptions.defaults().withName(name))
        .withShutdown(how);
  }

  /// Starts a supervisor with one child, a supervisor, and waits until all have started.
  private Pid above(Supervisor.Builder mid, Shutdown how) {
    Pid top =
        lab.runtime.spawn(
            lab.supervisor().child(ChildSpec.of("mid", mid::build).withShutdown(how)).build());
    assertThat(Kit.get(lab.runtime.whenStarted(top))).isTrue();
    return top;
  }

  private Pid named(String name) {
    return java.util.Objects.requireNonNull(lab.runtime.whereIs(name));
  }

  @Test
  @Tag("proc-322")
  void childOfASupervisorThatWasCut_hasTheTimeOfItsSpecification() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> patient = new CompletableFuture<>();
    CompletableFuture<ProcessSignal.Cancel> endless = new CompletableFuture<>();
    Supervisor.Builder mid =
        lab.supervisor()
            .child(deaf("patient", patient, Shutdown.within(Duration.ofDays(2))))
            .child(deaf("endless", endless, Shutdown.unlimited()));
    Pid top = above(mid, Shutdown.immediate());
    List<Pid> children = List.of(named("patient"), named("endless"));
    var exits = List.of(exit("patient"), exit("endless"));
    lab.ask(top, new Supervisor.StopChild("mid"));
    assertThat(Kit.get(patient).remaining()).isBetween(Duration.ofDays(1), Duration.ofDays(2));
    assertThat(Kit.get(endless).remaining()).isLessThanOrEqualTo(Shutdown.DEFAULT_TIMEOUT);
    children.forEach(child -> lab.runtime.offer(child, "now")); // the other may have been ended
    exits.forEach(Kit::get);
    assertThat(lab.runtime.whereIs("patient")).isNull();
    assertThat(lab.runtime.whereIs("endless")).isNull();
  }

  private CompletableFuture<Exit> exit(String name) {
    return lab.runtime.whenExited(named(name));
  }

  @Test
  @Tag("proc-322")
  void childrenOfASupervisorThatHadNoMoreTime_areEnded_andTheirNamesAreFree() {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Supervisor.Builder mid =
        lab.supervisor()
            .child(deaf("first", asked, Shutdown.within(Duration.ofMillis(1))))
            .child(deaf("last", asked, Shutdown.unlimited()));
    Pid top = above(mid, Shutdown.within(Duration.ofMillis(1)));
    var exits = List.of(exit("first"), exit("last"));
    lab.ask(top, new Supervisor.StopChild("mid"));
    for (CompletableFuture<Exit> exit : exits) {
      assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
    }
    assertThat(lab.runtime.whereIs("first")).isNull();
    assertThat(lab.runtime.whereIs("last")).isNull();
  }

  @Test
  @Tag("proc-322")
  void childOfADynamicSupervisorThatWasCut_isEndedWhenItsTimeIsOver() {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid supervisor =
        lab.runtime.spawn(
            DynamicSupervisor.builder(String.class, _ -> deaf(asked))
                .name(room -> room)
                .shutdown(Shutdown.within(Duration.ofMillis(1)))
                .build());
    Pid child = lab.ask(supervisor, new DynamicSupervisor.StartChild("lobby"));
    var exit = lab.runtime.whenExited(child);
    lab.runtime.terminate(supervisor);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
    assertThat(lab.runtime.whereIs("lobby")).isNull();
  }

  @Test
  @Tag("proc-322")
  void memberOfAPoolThatWasCut_isEnded_whenItsTimeIsUp() {
    CompletableFuture<Pid> member = new CompletableFuture<>();
    Pid pool =
        lab.runtime.spawn(
            ProcessPool.of(() ->
                    Kit.process((self, _, _) -> {
                      self.trapExits();
                      member.complete(self.self());
                    }))
                .members(1, 1)
                .options(StartOptions.defaults().withShutdown(Duration.ofMillis(1)))
                .build());
    var exit = lab.runtime.whenExited(Kit.get(member));
    lab.runtime.terminate(pool);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
  }

  /// A pool whose member has two days to end, and ends when it is asked to.
  private Pid poolOfOne(CompletableFuture<ProcessSignal.Cancel> asked) {
    CompletableFuture<Pid> member = new CompletableFuture<>();
    Pid pool =
        lab.runtime.spawn(
            ProcessPool.of(() ->
                    Kit.process((self, events, out) -> {
                      self.trapExits();
                      member.complete(self.self());
                      for (ProcessEvent event : events) {
                        if (event.data() instanceof ProcessSignal.Cancel cancel) {
                          asked.complete(cancel);
                          out.done();
                        }
                      }
                    }))
                .members(1, 1)
                .options(StartOptions.defaults().withShutdown(Duration.ofDays(2)))
                .build());
    Kit.get(member);
    return pool;
  }

  @Test
  @Tag("proc-322")
  void memberOfAPoolThatWasCut_hasTheTimeOfItsOptions() {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    lab.runtime.terminate(poolOfOne(asked));
    assertThat(Kit.get(asked).remaining()).isGreaterThan(Duration.ofDays(1));
  }

  @Test
  @Tag("proc-322")
  void memberThatAPoolDoesNotNeed_hasTheTimeOfItsOptions() {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    lab.cancel(poolOfOne(asked));
    assertThat(Kit.get(asked).remaining()).isGreaterThan(Duration.ofDays(1));
  }

  // ---- what is said in one place ----

  @Test
  @Tag("proc-320")
  void startOptions_thatSayWhatTheSupervisorSays_areRefused() {
    StartOptions patient = StartOptions.defaults().withShutdown(Duration.ofSeconds(20));
    StartOptions alone = StartOptions.defaults().withLifetime(Lifetime.INDEPENDENT);
    StartOptions ofAnother = StartOptions.defaults().withParent(lab.runtime.spawn(Kit.resting()));
    assertThatThrownBy(() -> SupervisorLab.spec("a").withOptions(patient))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT20S")
        .hasMessageContaining("withShutdown of the ChildSpec");
    assertThatThrownBy(() -> DynamicSupervisor.builder(Kit::resting).options(patient))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("shutdown of the DynamicSupervisor");
    for (StartOptions wrong : List.of(alone, ofAnother)) {
      assertThatThrownBy(() -> SupervisorLab.spec("a").withOptions(wrong))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> DynamicSupervisor.builder(Kit::resting).options(wrong))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> ProcessPool.of(Kit::resting).options(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ---- starts that nobody waits for any more ----

  @Test
  @Tag("proc-319")
  void startChild_ofASupervisor_whoseAskerHasGivenUpBeforeItsTurn_isCarriedOut() throws Exception {
    CompletableFuture<String> held = new CompletableFuture<>();
    CompletableFuture<String> entered = new CompletableFuture<>();
    Pid supervisor =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of(
                        "slow",
                        () -> {
                          entered.complete("");
                          Kit.get(held);
                          return Kit.resting();
                        }))
                .build());
    Kit.get(entered);
    lab.runtime
        .request(supervisor, new Supervisor.StartChild(SupervisorLab.spec("late")))
        .cancel(false);
    held.complete("");
    assertThat(lab.await("late", State.RUNNING).starts()).isEqualTo(1);
  }
}
