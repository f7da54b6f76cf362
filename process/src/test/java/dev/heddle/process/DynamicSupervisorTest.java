// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.DynamicChildStatus;
import dev.heddle.process.supervisor.DynamicSupervisor;
import dev.heddle.process.supervisor.DynamicSupervisor.ChildCounts;
import dev.heddle.process.supervisor.DynamicSupervisor.CountChildren;
import dev.heddle.process.supervisor.DynamicSupervisor.StartChild;
import dev.heddle.process.supervisor.DynamicSupervisor.StopChild;
import dev.heddle.process.supervisor.RestartLimitException;
import dev.heddle.process.supervisor.Shutdown;
import dev.heddle.process.supervisor.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Children of one kind that come and go.
@Timeout(300)
@Tag("P13")
class DynamicSupervisorTest {
  private final SupervisorLab lab = new SupervisorLab();
  private final BlockingQueue<DynamicChildStatus> changes = Kit.queue();

  @AfterEach
  void end() {
    lab.close();
  }

  private DynamicSupervisor.Builder<String> rooms() {
    return TestClock.set(
            DynamicSupervisor.builder(String.class, _ -> SupervisorLab.child()), lab.now::get)
        .listener(changes::add)
        .backoff(SupervisorLab.DELAYS);
  }

  private Pid start(Pid supervisor, String room) {
    return lab.ask(supervisor, new StartChild(room));
  }

  private DynamicChildStatus await(State state) throws InterruptedException {
    while (true) {
      DynamicChildStatus change = Kit.take(changes);
      if (change.state() == state) {
        return change;
      }
    }
  }

  private ChildCounts counts(Pid supervisor) {
    return lab.ask(supervisor, new CountChildren());
  }

  // ---- starts ----

  @Test
  @Tag("proc-254")
  void startChild_isAnsweredWithThePid_whenTheChildHasStarted() throws Exception {
    CompletableFuture<String> connected = new CompletableFuture<>();
    Pid supervisor =
        lab.runtime.spawn(
            DynamicSupervisor.builder(
                    String.class,
                    name ->
                        new Process() {
                          @Override
                          public void init(
                              ProcessContext self, String method, @Nullable Object input) {
                            Kit.get(connected);
                          }

                          @Override
                          public void step(List<ProcessEvent> events, StepOutput out) {
                            if (!events.isEmpty()) {
                              out.done(name);
                            }
                          }
                        })
                .listener(changes::add)
                .build());
    CompletableFuture<Pid> answer = lab.runtime.request(supervisor, new StartChild("lobby"));
    assertThat(counts(supervisor)).isEqualTo(new ChildCounts(1, 0, 0, 0));
    assertThat(answer).isNotDone();
    connected.complete("");
    Pid room = Kit.get(answer);
    assertThat(await(State.RUNNING))
        .isEqualTo(new DynamicChildStatus("lobby", State.RUNNING, room, 1, null));
    CompletableFuture<Exit> exit = lab.runtime.whenExited(room);
    lab.runtime.send(room, "bye");
    assertThat(Kit.get(exit).result()).isEqualTo("lobby");
    assertThat(await(State.EXITED).pid()).isEqualTo(room);
    assertThat(counts(supervisor).all()).isZero();
  }

  @Test
  @Tag("proc-254")
  void startChild_thatFails_isReportedToTheCaller_andIsNotTriedAgain() {
    Pid supervisor =
        lab.runtime.spawn(
            rooms(name ->
                    new Process() {
                      @Override
                      public void init(ProcessContext self, String method, @Nullable Object input) {
                        throw new IllegalStateException("no room " + name);
                      }

                      @Override
                      public void step(List<ProcessEvent> events, StepOutput out) {}
                    })
                .restart(Restart.PERMANENT)
                .build());
    assertThatThrownBy(() -> start(supervisor, "lobby")).hasRootCauseMessage("no room lobby");
    assertThat(counts(supervisor).all()).isZero();
    assertThat(lab.delays).isEmpty();
    assertThat(changes).isEmpty();
  }

  private DynamicSupervisor.Builder<String> rooms(DynamicSupervisor.Template<String> template) {
    return DynamicSupervisor.builder(String.class, template).listener(changes::add);
  }

  @Test
  @Tag("proc-254")
  void startChild_whoseTemplateFails_costsNoSibling() {
    Pid supervisor =
        lab.runtime.spawn(
            rooms(
                    name -> {
                      if (name.isEmpty()) {
                        throw new NoClassDefFoundError("a jar that is not there");
                      }
                      return SupervisorLab.child();
                    })
                .build());
    start(supervisor, "lobby");
    assertThatThrownBy(() -> start(supervisor, ""))
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(counts(supervisor)).isEqualTo(new ChildCounts(0, 1, 0, 0));
  }

  @Test
  @Tag("proc-254")
  void startChild_aboveTheBound_isRefused_untilOneHasEnded() {
    Pid supervisor = lab.runtime.spawn(rooms().maxChildren(2).build());
    Pid first = start(supervisor, "a");
    start(supervisor, "b");
    assertThatThrownBy(() -> start(supervisor, "c"))
        .hasRootCauseInstanceOf(StartRefusedException.class)
        .hasMessageContaining("max children exceeded: 2");
    lab.ask(supervisor, new StopChild(first));
    start(supervisor, "c");
    assertThat(counts(supervisor).running()).isEqualTo(2);
  }

  @Test
  @Tag("proc-254")
  void startChild_ofAnotherClass_orOfAnUnknownRequest_saysWhatIsWanted() {
    Pid supervisor = lab.runtime.spawn(rooms().build());
    assertThatThrownBy(() -> lab.ask(supervisor, new StartChild(5)))
        .hasMessageContaining("takes a java.lang.String, not 5");
    assertThatThrownBy(() -> lab.ask(supervisor, new StartChild()))
        .hasMessageContaining("takes a java.lang.String, not null");
    assertThatThrownBy(() -> lab.ask(supervisor, "start"))
        .hasMessageContaining("StartChild, StopChild, CountChildren or WhichChildren");
    Pid plain = lab.runtime.spawn(DynamicSupervisor.builder(SupervisorLab::child).build());
    assertThatThrownBy(() -> lab.ask(plain, new StartChild("x")))
        .hasMessageContaining("takes no argument, not x");
    Pid child = lab.ask(plain, new StartChild());
    assertThat(lab.runtime.process(child)).isNotNull();
  }

  @Test
  @Tag("proc-319")
  void startChild_whoseAskerGivesUpDuringTheStart_stays_andIsListed() throws Exception {
    CompletableFuture<String> connected = new CompletableFuture<>();
    CountDownLatch starting = new CountDownLatch(1);
    Pid supervisor =
        lab.runtime.spawn(
            rooms(_ ->
                    new Process() {
                      @Override
                      public void init(ProcessContext self, String method, @Nullable Object input) {
                        starting.countDown();
                        Kit.get(connected);
                      }

                      @Override
                      public void step(List<ProcessEvent> events, StepOutput out) {}
                    })
                .build());
    CompletableFuture<Pid> answer = lab.runtime.request(supervisor, new StartChild("lobby"));
    starting.await();
    answer.cancel(false);
    connected.complete("");
    DynamicChildStatus running = await(State.RUNNING);
    List<DynamicChildStatus> children = lab.ask(supervisor, new DynamicSupervisor.WhichChildren());
    assertThat(children).containsExactly(running);
    assertThat(running.argument()).isEqualTo("lobby");
  }

  @Test
  @Tag("proc-319")
  void startChild_whoseAskerHasGivenUpBeforeItsTurn_isCarriedOut() throws Exception {
    CompletableFuture<String> held = new CompletableFuture<>();
    CountDownLatch entered = new CountDownLatch(1);
    Pid supervisor =
        lab.runtime.spawn(
            rooms(
                    name -> {
                      entered.countDown();
                      Kit.get(held);
                      return SupervisorLab.child();
                    })
                .build());
    CompletableFuture<Pid> first = lab.runtime.request(supervisor, new StartChild("lobby"));
    entered.await();
    lab.runtime.request(supervisor, new StartChild("hall")).cancel(false);
    held.complete("");
    Kit.get(first);
    List<@Nullable Object> running =
        List.of(await(State.RUNNING), await(State.RUNNING)).stream()
            .<@Nullable Object>map(DynamicChildStatus::argument)
            .toList();
    assertThat(running).containsExactlyInAnyOrder("lobby", "hall");
    assertThat(counts(supervisor)).isEqualTo(new ChildCounts(0, 2, 0, 0));
  }

  @Test
  @Tag("proc-254")
  void names_areThoseOfTheArguments_andATakenOneIsRefused() {
    Pid supervisor = lab.runtime.spawn(rooms().name(room -> "room-" + room).build());
    Pid lobby = start(supervisor, "lobby");
    assertThat(lab.runtime.whereIs("room-lobby")).isEqualTo(lobby);
    assertThatThrownBy(() -> start(supervisor, "lobby"))
        .hasMessageContaining("belongs to " + lobby);
    Pid other = lab.runtime.spawn(Kit.resting(), StartOptions.defaults().withName("room-kitchen"));
    assertThatThrownBy(() -> start(supervisor, "kitchen"))
        .hasMessageContaining("belongs to " + other);
    assertThat(counts(supervisor)).isEqualTo(new ChildCounts(0, 1, 0, 0));
    assertThatThrownBy(() -> rooms().options(StartOptions.defaults().withName("room")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name(argument -> ...)");
  }

  // ---- ends ----

  @Test
  @Tag("proc-253")
  void endChild_isAnsweredWithTheExit_whenItHasEnded() throws Exception {
    Pid supervisor = lab.runtime.spawn(rooms().restart(Restart.PERMANENT).build());
    Pid room = start(supervisor, "lobby");
    Exit exit = lab.ask(supervisor, new StopChild(Pid.parse(room.toString())));
    assertThat(exit.reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    assertThat(await(State.STOPPED).pid()).isEqualTo(room);
    assertThatThrownBy(() -> lab.ask(supervisor, new StopChild(room)))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not, or no longer, a child of");
  }

  @Test
  @Tag("proc-250")
  void endChild_byDefault_givesItTheTimeOfAnyChild() {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid supervisor = lab.runtime.spawn(rooms(_ -> SupervisorLab.stubborn(asked)).build());
    Pid room = start(supervisor, "lobby");
    CompletableFuture<Exit> exit = lab.runtime.request(supervisor, new StopChild(room));
    assertThat(Kit.get(asked).remaining()).isLessThanOrEqualTo(Shutdown.DEFAULT_TIMEOUT);
    lab.runtime.offer(room, "now"); // it may have been ended
    assertThat(Kit.get(exit).pid()).isEqualTo(room);
  }

  @Test
  @Tag("proc-253")
  void cancel_asksAllChildrenAtOnce_andWaitsForTheLast() {
    List<CompletableFuture<ProcessSignal.Cancel>> asked = new CopyOnWriteArrayList<>();
    Pid supervisor =
        lab.runtime.spawn(
            rooms(
                    _ -> {
                      asked.add(new CompletableFuture<>());
                      return SupervisorLab.stubborn(asked.getLast());
                    })
                .shutdown(Shutdown.within(Duration.ofDays(2)))
                .build());
    List<Pid> children =
        List.of(start(supervisor, "a"), start(supervisor, "b"), start(supervisor, "c"));
    CompletableFuture<Exit> exit = lab.runtime.whenExited(supervisor);
    lab.runtime.cancel(supervisor, "enough", Duration.ofDays(5));
    for (CompletableFuture<ProcessSignal.Cancel> one : asked) { // none has ended yet
      Duration time = Kit.get(one).remaining();
      assertThat(time).isBetween(Duration.ofDays(1), Duration.ofDays(3));
    }
    assertThatThrownBy(() -> start(supervisor, "d"))
        .hasRootCauseInstanceOf(StartRefusedException.class)
        .hasMessageContaining("is ending");
    children.forEach(child -> lab.runtime.send(child, "now"));
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  @Tag("proc-253")
  void dynamicSupervisor_belowAnother_hasNoLimit() throws Exception {
    CompletableFuture<ProcessSignal.Cancel> asked = new CompletableFuture<>();
    Pid top =
        lab.runtime.spawn(
            lab.supervisor()
                .child(
                    ChildSpec.of(
                        "rooms",
                        () ->
                            rooms(_ -> SupervisorLab.stubborn(asked))
                                .shutdown(Shutdown.within(Duration.ofDays(2)))
                                .build()))
                .build());
    Pid child = start(SupervisorLab.pid(lab.await("rooms", State.RUNNING)), "lobby");
    CompletableFuture<Exit> exit = lab.runtime.whenExited(top);
    lab.runtime.cancel(top, "enough", Duration.ofDays(5));
    assertThat(Kit.get(asked).remaining()).isGreaterThan(Duration.ofDays(1));
    lab.runtime.send(child, "now");
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }

  @Test
  @Tag("proc-253")
  void terminate_takesTheChildrenAlong() {
    Pid supervisor = lab.runtime.spawn(rooms().build());
    CompletableFuture<Exit> exit = lab.runtime.whenExited(start(supervisor, "lobby"));
    lab.runtime.terminate(supervisor);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.LINKED);
  }

  // ---- restarts ----

  @Test
  @Tag("proc-259")
  void restart_isAsThePolicySays_underAnotherPid_andTheSameName() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(rooms().restart(Restart.TRANSIENT).name(room -> room).build());
    Pid lobby = start(supervisor, "lobby");
    await(State.RUNNING);
    lab.runtime.send(lobby, "boom");
    DynamicChildStatus backingOff = await(State.BACKING_OFF);
    assertThat(Objects.requireNonNull(backingOff.exit()).cause()).hasMessage("boom");
    DynamicChildStatus again = await(State.RUNNING);
    assertThat(again.starts()).isEqualTo(2);
    assertThat(again.pid()).isNotEqualTo(lobby).isEqualTo(lab.runtime.whereIs("lobby"));
    lab.runtime.cancel(again.pid(), "enough", Kit.SOON);
    assertThat(await(State.EXITED).pid()).isEqualTo(again.pid());
    assertThat(counts(supervisor).all()).isZero();
  }

  @Test
  @Tag("proc-323")
  void restart_whoseTemplateFails_isTheEndOfNoProcess() throws Exception {
    AtomicInteger made = new AtomicInteger();
    Pid supervisor =
        lab.runtime.spawn(
            rooms(
                    _ -> {
                      if (made.incrementAndGet() == 2) {
                        throw new IllegalStateException("no template");
                      }
                      return SupervisorLab.child();
                    })
                .restart(Restart.PERMANENT)
                .backoff(SupervisorLab.DELAYS)
                .build());
    lab.runtime.send(start(supervisor, "lobby"), "boom");
    await(State.BACKING_OFF);
    Exit exit = Objects.requireNonNull(await(State.BACKING_OFF).exit());
    assertThat(exit.cause()).hasMessage("no template");
    assertThat(exit.pid().id()).isZero();
    assertThat(await(State.RUNNING).starts()).isEqualTo(3);
  }

  @Test
  @Tag("proc-321")
  void child_whoseEndIsReadBeforeTheResultOfItsStart_hasStarted() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            SupervisorLab.readingResultsLate(
                rooms(_ -> (_, out) -> out.done()).restart(Restart.TRANSIENT).build()));
    Pid lobby = start(supervisor, "lobby");
    assertThat(await(State.EXITED).pid()).isEqualTo(lobby);
  }

  @Test
  @Tag("proc-321")
  void transientChild_thatIsDoneBeforeItHasStartedAgain_isStartedAgain() throws Exception {
    AtomicInteger made = new AtomicInteger();
    Pid supervisor =
        lab.runtime.spawn(
            rooms(_ ->
                    made.incrementAndGet() == 2
                        ? SupervisorLab.neverReady()
                        : SupervisorLab.child())
                .restart(Restart.TRANSIENT)
                .backoff(SupervisorLab.DELAYS)
                .build());
    lab.runtime.send(start(supervisor, "lobby"), "boom");
    await(State.BACKING_OFF);
    Exit exit = Objects.requireNonNull(await(State.BACKING_OFF).exit());
    assertThat(exit.reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(await(State.RUNNING).starts()).isEqualTo(3);
  }

  @Test
  @Tag("proc-259")
  void delays_growForEachChildAlone_andAreShortAfterAQuietTime() throws Exception {
    Pid supervisor = lab.runtime.spawn(rooms().restart(Restart.PERMANENT).build());
    Pid lobby = start(supervisor, "lobby");
    Pid hall = start(supervisor, "hall");
    lab.runtime.send(lobby, "boom");
    lobby = runningAs("lobby", 2);
    lab.runtime.send(lobby, "boom");
    lobby = runningAs("lobby", 3);
    lab.runtime.send(hall, "boom");
    runningAs("hall", 2);
    lab.now.addAndGet(Duration.ofSeconds(2).toNanos());
    lab.runtime.send(lobby, "boom");
    runningAs("lobby", 4);
    assertThat(lab.delays.stream().map(Duration::toMillis).toList())
        .containsExactly(100L, 200L, 100L, 100L);
  }

  private Pid runningAs(String room, int starts) throws InterruptedException {
    while (true) {
      DynamicChildStatus change = await(State.RUNNING);
      if (room.equals(change.argument()) && change.starts() == starts) {
        return change.pid();
      }
    }
  }

  @Test
  @Tag("proc-259")
  void endChild_duringAPause_callsTheRestartOff() throws Exception {
    lab.pauses = Kit.queue();
    Pid supervisor = lab.runtime.spawn(rooms().restart(Restart.PERMANENT).build());
    Pid lobby = start(supervisor, "lobby");
    lab.runtime.send(lobby, "boom");
    var pause = Kit.take(Objects.requireNonNull(lab.pauses));
    assertThat(counts(supervisor)).isEqualTo(new ChildCounts(0, 0, 1, 0));
    Exit exit = lab.ask(supervisor, new StopChild(lobby));
    assertThat(exit.cause()).hasMessage("boom");
    assertThat(pause.isOpen()).isFalse();
    assertThat(counts(supervisor).all()).isZero();
  }

  @Test
  @Tag("proc-259")
  void tooManyRestarts_endTheChildren_andFailTheSupervisor() throws Exception {
    Pid supervisor =
        lab.runtime.spawn(
            rooms().restart(Restart.PERMANENT).intensity(1, Duration.ofSeconds(5)).build());
    CompletableFuture<Exit> exit = lab.runtime.whenExited(supervisor);
    CompletableFuture<Exit> exitOfHall = lab.runtime.whenExited(start(supervisor, "hall"));
    lab.runtime.send(start(supervisor, "lobby"), "boom");
    lab.runtime.send(runningAs("lobby", 2), "boom");
    assertThat(Kit.get(exit).cause())
        .isInstanceOf(RestartLimitException.class)
        .hasMessageContaining("1 restarts")
        .hasRootCauseMessage("boom");
    assertThat(Kit.get(exitOfHall).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
  }
}
