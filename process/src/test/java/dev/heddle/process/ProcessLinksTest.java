// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Links, monitors and names.
@Timeout(300)
class ProcessLinksTest {
  private static final int LINKS = 40_000; // a few hundred are enough to hang, most of the time

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.shutdown(Duration.ofMillis(100)); // some of them listen to nobody
  }

  /// Does what it is sent, and hands on all else that comes.
  private interface Deed {
    void in(ProcessContext self) throws Exception;
  }

  private Pid obedient(BlockingQueue<Object> got) {
    return runtime.spawn(
        Kit.process((self, events, _) -> {
          for (ProcessEvent event : events) {
            if (event.data() instanceof Deed deed) {
              deed.in(self);
            } else {
              got.add(java.util.Objects.requireNonNull(event.data()));
            }
          }
        }));
  }

  private Object ask(Pid pid, Function<ProcessContext, Object> question) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    runtime.send(pid, (Deed) self -> answer.complete(question.apply(self)));
    return Kit.get(answer);
  }

  private static Deed fail(String why) {
    return _ -> {
      throw new IllegalStateException(why);
    };
  }

  @Test
  @Tag("P13")
  @Tag("proc-140")
  void monitor_isNotifiedOfTheEnd_once_eachWithItsReference() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid watcher = obedient(got);
    Pid target = obedient(Kit.queue());
    long first = (long) ask(watcher, self -> self.monitor(target));
    long second = (long) ask(watcher, self -> self.monitor(target));
    assertThat(ask(watcher, self -> self.demonitor(first))).isEqualTo(true);
    runtime.send(target, fail("boom"));
    ProcessSignal.Down down = (ProcessSignal.Down) Kit.take(got);
    assertThat(down.monitor()).isEqualTo(second);
    assertThat(down.exit().pid()).isEqualTo(target);
    assertThat(down.exit().cause()).hasMessage("boom");
    assertThat(ask(watcher, self -> self.demonitor(second))).isEqualTo(false);
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-139")
  @Tag("proc-218")
  void monitorOfOneThatHasEnded_isNotifiedAtOnce() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid watcher = obedient(got);
    Pid target = runtime.spawn((_, out) -> out.done());
    Kit.exit(runtime, target);
    ask(watcher, self -> self.monitor(target));
    ProcessSignal.Down down = (ProcessSignal.Down) Kit.take(got);
    assertThat(down.exit().pid()).isEqualTo(target);
    Pid never = new Pid("", "heddle", 12345, 1);
    ask(watcher, self -> self.monitor(never));
    assertThat(((ProcessSignal.Down) Kit.take(got)).exit().reason())
        .isEqualTo(Exit.Reason.NOT_FOUND);
  }

  @Test
  @Tag("proc-142")
  @Tag("proc-190")
  void link_carriesAFailure_butNoNormalEnd() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid trapping = obedient(got);
    Pid plain = obedient(Kit.queue());
    Pid failing = obedient(Kit.queue());
    Pid done = runtime.spawn(Kit.untilMessage());
    ask(
        trapping,
        self -> {
          self.trapExits();
          self.link(failing);
          self.link(done);
          return "";
        });
    ask(
        plain,
        self -> {
          self.link(failing);
          self.link(done);
          return "";
        });
    var exitOfPlain = runtime.whenExited(plain);
    runtime.send(done, "end");
    Kit.exit(runtime, done);
    runtime.send(failing, fail("boom"));
    ProcessSignal.LinkDown down = (ProcessSignal.LinkDown) Kit.take(got);
    assertThat(down.exit().pid()).isEqualTo(failing);
    assertThat(Kit.get(exitOfPlain).reason()).isEqualTo(Exit.Reason.LINKED);
    assertThat(Kit.get(exitOfPlain).cause())
        .hasMessageContaining(failing.toString())
        .hasRootCauseMessage("boom");
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-143")
  @Tag("proc-146")
  void unlink_undoesIt_forBoth() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid one = obedient(got);
    Pid other = obedient(Kit.queue());
    ask(
        one,
        self -> {
          self.trapExits();
          self.link(other);
          return "";
        });
    ask(
        other,
        self -> {
          self.unlink(one);
          return "";
        });
    runtime.send(other, fail("boom"));
    Kit.exit(runtime, other);
    ask(one, ProcessContext::self); // what was to come has come
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-155")
  void names_belongToOne_severalToAProcess_andAreGivenBackAtItsEnd() {
    Pid one = obedient(Kit.queue());
    Pid other = obedient(Kit.queue());
    assertThat(ask(one, self -> self.register("db"))).isEqualTo(one);
    assertThat(ask(one, self -> self.register("db"))).isEqualTo(one);
    assertThat(ask(one, self -> self.register("store"))).isEqualTo(one);
    assertThat(ask(other, self -> self.register("db"))).isEqualTo(one);
    assertThat(runtime.whereIs("db")).isEqualTo(one);
    var exit = runtime.whenExited(one);
    runtime.terminate(one);
    Kit.get(exit);
    assertThat(runtime.whereIs("db")).isNull();
    assertThat(runtime.whereIs("store")).isNull();
    assertThat(ask(other, self -> self.register("db"))).isEqualTo(other);
  }

  @Test
  @Tag("proc-156")
  void unregister_takesTheName_fromItsOwner() {
    Pid one = obedient(Kit.queue());
    Pid other = obedient(Kit.queue());
    ask(one, self -> self.register("db"));
    assertThat(ask(other, self -> self.unregister("db"))).isEqualTo(false);
    assertThat(ask(one, self -> self.unregister("nobody"))).isEqualTo(false);
    assertThat(ask(one, self -> self.unregister("db"))).isEqualTo(true);
    assertThat(runtime.whereIs("db")).isNull();
  }

  @Test
  @Tag("proc-122")
  void spawn_ofANameThatIsTaken_givesWhoHasIt() {
    StartOptions named = StartOptions.defaults().withName("db");
    Pid one = runtime.spawn(Kit.resting(), named);
    assertThat(runtime.spawn(Kit.resting(), named)).isEqualTo(one);
    assertThat(runtime.whereIs("db")).isEqualTo(one);
  }

  @Test
  @Tag("proc-151")
  void startOptions_linkAndMonitor_tieToTheParent() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid parent = obedient(got);
    Pid child =
        (Pid)
            ask(
                parent,
                self -> {
                  self.trapExits();
                  return self.spawn(
                      Kit.process((_, events, _) -> {
                        if (!events.isEmpty()) {
                          throw new IllegalStateException("boom");
                        }
                      }),
                      StartOptions.defaults().linked().monitored());
                });
    runtime.send(child, "fail");
    assertThat(java.util.List.of(Kit.take(got).getClass(), Kit.take(got).getClass()))
        .containsExactlyInAnyOrder(ProcessSignal.LinkDown.class, ProcessSignal.Down.class);
  }

  @Test
  @Tag("proc-140")
  void downThatIsPassedOn_isAMessage_andTakesNoMonitorOfTheReceiver() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid watcher = obedient(got);
    Pid target = obedient(Kit.queue());
    long monitor = (long) ask(watcher, self -> self.monitor(target));
    Exit other = new Exit(new Pid("", "h", 99, 1), Exit.Reason.NORMAL, null, null);
    runtime.send(watcher, new ProcessSignal.Down(monitor, other));
    assertThat(Kit.take(got)).isEqualTo(new ProcessSignal.Down(monitor, other));
    runtime.send(target, fail("boom"));
    assertThat(((ProcessSignal.Down) Kit.take(got)).exit().pid()).isEqualTo(target);
  }

  @Test
  @Tag("proc-139")
  void monitorCommand_ofOneThatHasEnded_givesItsReferenceBeforeTheSignal() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid never = new Pid("", "heddle", 12345, 1);
    runtime.spawn((events, out) -> {
      if (events.isEmpty()) {
        out.execute(1, Commands.monitor(never));
      }
      events.forEach(event -> got.add(java.util.Objects.requireNonNull(event.data())));
    });
    Object reference = Kit.take(got);
    assertThat(((ProcessSignal.Down) Kit.take(got)).monitor()).isEqualTo(reference);
  }

  @Test
  @Tag("proc-155")
  void register_ofAProcessThatHasEnded_isRefused() {
    Pid pid = obedient(Kit.queue());
    ProcessContext context = (ProcessContext) ask(pid, self -> self);
    var exit = runtime.whenExited(pid);
    runtime.terminate(pid);
    Kit.get(exit);
    assertThatThrownBy(() -> context.register("db"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(pid + " has ended");
    assertThat(runtime.whereIs("db")).isNull();
  }

  @Test
  @Tag("proc-142")
  void link_toOneThatHasEndedNormally_isNothing_unlessItsPidIsFromText() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid one = obedient(got);
    Pid done = runtime.spawn((_, out) -> out.done());
    Kit.exit(runtime, done);
    while (runtime.process(done) != null) {
      Thread.onSpinWait(); // its number is free a moment after its exit is told
    }
    ask(
        one,
        self -> {
          self.trapExits();
          self.link(done);
          return "";
        });
    assertThat(ask(one, ProcessContext::pendingCommands))
        .isEqualTo(0); // another step: nothing came
    assertThat(got).isEmpty();
    ask(
        one,
        self -> {
          self.link(Pid.parse(done.toString()));
          return "";
        });
    assertThat(((ProcessSignal.LinkDown) Kit.take(got)).exit().reason())
        .isEqualTo(Exit.Reason.NOT_FOUND);
  }

  @Test
  @Tag("P13")
  @Tag("proc-148")
  void linksOfBodiesAndSteps_besideOthersWhoLookAtThem_leaveTheWorkerFree() {
    AtomicBoolean done = new AtomicBoolean();
    try (ProcessRuntime one = ProcessRuntime.builder().workers(1).start()) {
      Pid hub = one.spawn(Kit.resting());
      List<Pid> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(
            one.spawn(
                CoroutineProcess.of(self -> {
                  for (int n = 0; n < LINKS; n++) {
                    self.context().link(hub);
                    self.context().unlink(hub);
                  }
                  return null;
                })));
        AtomicInteger made = new AtomicInteger();
        all.add(
            one.spawn(
                Kit.process((self, _, out) -> {
                  self.link(hub);
                  self.unlink(hub);
                  if (made.incrementAndGet() == LINKS) {
                    out.done();
                  } else {
                    out.continueNow();
                  }
                })));
      }
      for (int i = 0; i < 2; i++) {
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              while (!done.get()) {
                all.forEach(pid -> one.whenExited(pid).cancel(false)); // takes their locks
              }
            });
      }
      all.forEach(pid -> assertThat(Kit.exit(one, pid).isAbnormal()).isFalse());
    } finally {
      done.set(true);
    }
  }
}
