// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.Exit.Reason;
import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.behavior.StateMachine;
import dev.heddle.process.behavior.Transition;
import dev.heddle.process.pool.ProcessPool;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.Shutdown;
import dev.heddle.process.supervisor.Supervisor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Processes of each kind that are asked to end: by a cancel, by a request, by the end on purpose
/// of one that they are linked to.
@Timeout(300)
class AskedToEndTest {
  /// A reason of the program's own.
  private record ClosingTime(int hour) {}

  private static final Duration DAY = Duration.ofDays(1);
  private static final ClosingTime SIX = new ClosingTime(18);

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// A server that traps exits, or not.
  private static Process server(boolean traps) {
    return new GenServer<String>(String.class) {
      @Override
      protected void init(@Nullable Object input) {
        if (traps) {
          context().trapExits();
        }
      }

      @Override
      protected void receive(String message) {}
    };
  }

  private static Process machine() {
    return new StateMachine<Boolean, String>(String.class, true) {
      @Override
      protected void init(@Nullable Object input) {
        context().trapExits();
      }

      @Override
      protected Transition<Boolean, String> on(Boolean state, String message) {
        return Transition.stay();
      }
    };
  }

  private static Supervisor supervisor() {
    return Supervisor.builder()
        .child(ChildSpec.of("a", Kit::resting))
        .child(ChildSpec.of("b", Kit::resting))
        .build();
  }

  private static DynamicSupervisor dynamic() {
    return DynamicSupervisor.builder(Kit::resting).build();
  }

  private static ProcessPool pool() {
    return ProcessPool.of(Kit::resting).members(1, 2).build();
  }

  /// Those that do what supervisors do at an end: they have others to end before.
  private static Map<String, Supplier<Process>> parents() {
    Map<String, Supplier<Process>> all = new LinkedHashMap<>();
    all.put("supervisor", AskedToEndTest::supervisor);
    all.put("dynamic supervisor", AskedToEndTest::dynamic);
    all.put("pool", AskedToEndTest::pool);
    return all;
  }

  private static Map<String, Supplier<Process>> kinds() {
    Map<String, Supplier<Process>> all = parents();
    all.put("steps", Kit::resting);
    all.put("body", () -> CoroutineProcess.of(CoroutineProcess::receive));
    all.put("server", () -> server(false));
    all.put("server that traps exits", () -> server(true));
    all.put("state machine", AskedToEndTest::machine);
    return all;
  }

  /// Starts one, and waits until it has started: what traps exits does so from then on.
  private Pid started(Supplier<Process> kind, StartOptions how) {
    Pid pid = runtime.spawn(kind.get(), how);
    assertThat(Kit.get(runtime.whenStarted(pid))).isTrue();
    return pid;
  }

  private Pid started(Supplier<Process> kind) {
    return started(kind, StartOptions.defaults());
  }

  @Test
  @Tag("proc-317")
  void cancel_ofEachKind_isAnEndOnPurpose() {
    kinds()
        .forEach((name, kind) -> {
          Pid pid = started(kind);
          var exit = runtime.whenExited(pid);
          runtime.cancel(pid, "closing time", Kit.SOON);
          assertThat(Kit.get(exit).reason()).as(name).isEqualTo(Reason.SHUTDOWN);
          assertThat(Kit.get(exit).detail()).as(name).isNull();
        });
  }

  @Test
  @Tag("proc-317")
  void requestExit_ofEachKind_isAnEndOnPurpose_withThatReason() {
    kinds()
        .forEach((name, kind) -> {
          Pid pid = started(kind);
          var exit = runtime.whenExited(pid);
          runtime.requestExit(pid, SIX);
          assertThat(Kit.get(exit).reason()).as(name).isEqualTo(Reason.SHUTDOWN);
          assertThat(Kit.get(exit).detail()).as(name).isSameAs(SIX);
        });
  }

  @Test
  @Tag("proc-317")
  void shutdownOfTheRuntime_isAnEndOnPurpose_forEachKind() {
    Map<String, CompletableFuture<Exit>> exits = new LinkedHashMap<>();
    kinds().forEach((name, kind) -> exits.put(name, runtime.whenExited(started(kind))));
    runtime.shutdown(Kit.SOON);
    exits.forEach(
        (name, exit) -> assertThat(Kit.get(exit).reason()).as(name).isEqualTo(Reason.SHUTDOWN));
  }

  // ---- parents ----

  /// Ends on purpose with the message "close", with any other as failed.
  private Pid leader() {
    return runtime.spawn((events, out) -> {
      for (ProcessEvent event : events) {
        if ("close".equals(event.data())) {
          out.shutdown(SIX);
        } else {
          out.fail(SIX);
        }
      }
    });
  }

  @Test
  @Tag("proc-318")
  void endOnPurpose_ofALinkedProcess_endsEachParentOnPurpose_forThatReason() {
    parents()
        .forEach((name, kind) -> {
          Pid leader = leader();
          Pid pid = started(kind, StartOptions.defaults().withParent(leader).linked());
          var exit = runtime.whenExited(pid);
          runtime.send(leader, "close");
          assertThat(Kit.get(exit).reason()).as(name).isEqualTo(Reason.SHUTDOWN);
          assertThat(Kit.get(exit).detail()).as(name).isSameAs(SIX);
        });
  }

  @Test
  @Tag("proc-318")
  void failure_ofALinkedProcess_failsEachParent() {
    parents()
        .forEach((name, kind) -> {
          Pid leader = leader();
          Pid pid = started(kind, StartOptions.defaults().withParent(leader).linked());
          var exit = runtime.whenExited(pid);
          runtime.send(leader, "fail");
          assertThat(Kit.get(exit).reason()).as(name).isEqualTo(Reason.FAILED);
          assertThat(Kit.get(exit).cause())
              .as(name)
              .hasMessageContaining("was linked to " + leader);
        });
  }

  @Test
  @Tag("proc-318")
  void requestExit_ofASupervisor_endsItsChildrenBefore_lastFirst() throws Exception {
    BlockingQueue<ChildStatus> changes = Kit.queue();
    Pid supervisor =
        started(() ->
            Supervisor.builder()
                .listener(changes::add)
                .child(ChildSpec.of("a", Kit::resting))
                .child(ChildSpec.of("b", Kit::resting))
                .build());
    var exit = runtime.whenExited(supervisor);
    runtime.requestExit(supervisor, SIX);
    Kit.get(exit);
    List<String> ends =
        changes.stream()
            .filter(child -> child.state() == ChildStatus.State.STOPPED)
            .map(ChildStatus::name)
            .toList();
    assertThat(ends).containsExactly("b", "a");
  }

  @Test
  @Tag("proc-318")
  void requestExit_ofADynamicSupervisor_endsItsChildrenBefore_andTakesNoMore() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid supervisor =
        started(() ->
            DynamicSupervisor.builder(() -> SupervisorLab.stubborn(asked))
                .shutdown(Shutdown.within(DAY))
                .build());
    CompletableFuture<Pid> child = runtime.request(supervisor, new DynamicSupervisor.StartChild());
    var exitOfChild = runtime.whenExited(Kit.get(child));
    var exit = runtime.whenExited(supervisor);
    runtime.requestExit(supervisor, SIX);
    Kit.get(asked);
    assertThat(exit).isNotDone();
    assertThatThrownBy(() -> runtime.ask(supervisor, new DynamicSupervisor.StartChild(), Kit.SOON))
        .hasMessageContaining("is ending");
    runtime.send(Kit.get(child), "now");
    assertThat(Kit.get(exitOfChild).reason()).isEqualTo(Reason.NORMAL);
    assertThat(Kit.get(exit).detail()).isSameAs(SIX);
  }

  private String refusal(Pid pool) throws InterruptedException {
    try {
      return "it has answered " + runtime.<Object>ask(pool, "more", Kit.SOON);
    } catch (AskFailedException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  @Tag("proc-318")
  void requestExit_ofAPool_finishesItsCalls_andTakesNoMore() throws Exception {
    BlockingQueue<Request> held = Kit.queue();
    Process member =
        (events, _) ->
            events.forEach(event -> held.add((Request) Objects.requireNonNull(event.data())));
    Pid pool = started(() -> ProcessPool.of(() -> member).members(1, 1).queueCapacity(0).build());
    var exit = runtime.whenExited(pool);
    CompletableFuture<String> call = runtime.request(pool, "call");
    Request running = Kit.take(held);
    runtime.requestExit(pool, SIX);
    while (!refusal(pool).contains("pool closed")) { // until it has seen the request, it is full
      Thread.onSpinWait();
    }
    assertThat(exit).isNotDone();
    running.reply().complete("done");
    assertThat(Kit.get(call)).isEqualTo("done");
    assertThat(Kit.get(exit).detail()).isSameAs(SIX);
  }

  /// Starts one whose only child traps exits.
  private Pid withAStubbornChild(String kind, CompletableFuture<ProcessSignal.Cancel> asked) {
    if (kind.equals("pool")) {
      return started(() ->
          ProcessPool.of(() -> SupervisorLab.stubborn(asked))
              .members(1, 1)
              .options(StartOptions.defaults().withShutdown(DAY))
              .build());
    }
    if (kind.equals("supervisor")) {
      ChildSpec child = ChildSpec.of("a", () -> SupervisorLab.stubborn(asked)).withShutdown(DAY);
      return started(() -> Supervisor.builder().child(child).build());
    }
    Pid dynamic =
        started(() ->
            DynamicSupervisor.builder(() -> SupervisorLab.stubborn(asked))
                .shutdown(Shutdown.within(DAY))
                .build());
    Kit.get(runtime.request(dynamic, new DynamicSupervisor.StartChild()));
    return dynamic;
  }

  @Test
  @Tag("proc-318")
  void firstReason_ofTwoRequests_counts_forEachParent() {
    for (String kind : parents().keySet()) {
      CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
      Pid parent = withAStubbornChild(kind, asked);
      Pid child =
          runtime.processes().stream()
              .filter(process -> parent.equals(process.parent()))
              .findFirst()
              .orElseThrow()
              .pid();
      assertThat(Kit.get(runtime.whenStarted(child))).isTrue();
      var exit = runtime.whenExited(parent);
      runtime.requestExit(parent, SIX);
      Kit.get(asked);
      runtime.requestExit(parent, new ClosingTime(20)); // before the end of the child
      runtime.send(child, "now");
      assertThat(Kit.get(exit).detail()).as(kind).isSameAs(SIX);
    }
  }
}
