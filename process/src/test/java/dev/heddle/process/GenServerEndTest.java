// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.GenServerTest.Do;
import dev.heddle.process.GenServerTest.Message;
import dev.heddle.process.GenServerTest.Probe;
import dev.heddle.process.GenServerTest.Say;
import dev.heddle.process.GenServerTest.Words;
import dev.heddle.process.event.DeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How servers end, and what they leave.
@Timeout(300)
class GenServerEndTest extends CoroutineFixture {
  @SuppressWarnings("StaticAssignmentOfThrowable") // one object, known again where it is told
  private static final RuntimeException FAILURE = new IllegalStateException("on purpose");

  /// Ways to end a server that has handled a message.
  enum Way {
    STOP((_, ref) -> ref.send(new Do(it -> it.end("result")))),
    SHUTDOWN((_, ref) -> ref.send(new Do(it -> it.endOnPurpose("sold out")))),
    FAILURE((_, ref) -> ref.send(failing())),
    FAILURE_OF_A_COMMAND(
        (_, ref) -> ref.send(new Do(it -> it.run(Commands.whereIs("nobody has this name"))))),
    TERMINATE((runtime, ref) -> runtime.terminate(pidOf(ref))),
    CANCEL((runtime, ref) -> runtime.cancel(pidOf(ref), "closing time", DAY)),
    CANCEL_WHILE_IT_TRAPS_EXITS((runtime, ref) -> {
      traps(ref);
      runtime.cancel(pidOf(ref), "closing time", DAY);
    }),
    REQUEST((runtime, ref) -> runtime.requestExit(pidOf(ref), "stock-taking")),
    REQUEST_WHILE_IT_TRAPS_EXITS((runtime, ref) -> {
      traps(ref);
      runtime.requestExit(pidOf(ref), "stock-taking");
    }),
    LINK((_, ref) -> ref.send(new Do(it -> spawnFailing(it.own())))),
    LINK_WHILE_IT_TRAPS_EXITS((_, ref) -> {
      traps(ref);
      ref.send(new Do(it -> spawnFailing(it.own())));
    }),
    SHUTDOWN_OF_THE_RUNTIME((runtime, _) -> runtime.close());

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that keep nothing
    final BiConsumer<ProcessRuntime, Ref<Message>> ends;

    Way(BiConsumer<ProcessRuntime, Ref<Message>> ends) {
      this.ends = ends;
    }
  }

  private static Pid pidOf(Ref<Message> server) {
    return Objects.requireNonNull(server.pid());
  }

  private static Do failing() {
    return new Do(_ -> {
      throw FAILURE;
    });
  }

  private static void traps(Ref<Message> server) {
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    server.send(
        new Do(it -> {
          it.own().trapExits();
          done.complete(null);
        }));
    Kit.get(done);
  }

  private static void spawnFailing(ProcessContext self) {
    self.spawn((_, out) -> out.fail("sold out"), StartOptions.defaults().linked());
  }

  /// Has messages handled in one step.
  private static void inOneStep(Ref<Message> server, Message... messages) {
    CompletableFuture<@Nullable Void> isInside = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
    server.send(
        new Do(_ -> {
          isInside.complete(null);
          gate.join();
        }));
    Kit.get(isInside);
    for (Message message : messages) {
      server.send(message);
    }
    gate.complete(null);
  }

  // ---- terminate() ----

  @ParameterizedTest
  @EnumSource
  @Tag("proc-311")
  void terminate_isCalledOnce_howeverTheServerEnds(Way way) throws Exception {
    Probe probe = new Probe();
    Ref<Message> server = runtime.spawn(probe);
    assertThat(server.ask(Words::new, DAY)).isEmpty();
    var exit = runtime.whenExited(pidOf(server));
    way.ends.accept(runtime, server);
    assertThat(Kit.take(probe.ends)).isEqualTo(Kit.get(exit));
    runtime.close();
    assertThat(probe.ends).isEmpty();
  }

  @Test
  @Tag("proc-311")
  void terminate_isCalledOnce_whereInitFails_andTheObjectIsSpawnedAgain() throws Exception {
    Probe probe =
        new Probe() {
          @Override
          protected void init(@Nullable Object input) {
            throw FAILURE;
          }
        };
    assertThat(Kit.exit(runtime, pidOf(runtime.spawn(probe))).cause()).isSameAs(FAILURE);
    assertThat(Kit.take(probe.ends).cause()).isSameAs(FAILURE);
    assertThat(Kit.exit(runtime, pidOf(runtime.spawn(probe))).cause())
        .hasMessageContaining("runs once");
    assertThat(probe.ends).isEmpty();
  }

  @Test
  @Tag("proc-275")
  void whatIsStashed_whereAnotherEndsTheServer_isADeadLetter() throws Exception {
    BlockingQueue<Object> letters = Kit.queue();
    Process reads = (events, _) -> events.forEach(event -> letters.add(event.data()));
    runtime.events().subscribe(DeadLetter.class, runtime.spawn(reads));
    Ref<Message> server = runtime.spawn(new Probe());
    server.send(new Do(it -> it.keep("stashed")));
    assertThat(server.ask(Words::new, DAY)).isEmpty();
    runtime.terminate(pidOf(server));
    assertThat(((DeadLetter) Kit.take(letters)).message()).isEqualTo(new Say("stashed"));
  }

  // ---- links ----

  @Test
  @Tag("proc-313")
  void linkDown_whereNothingElseIsSaid_endsAsTheLinkWouldHave() throws Exception {
    for (Consumer<StepOutput> how :
        List.<Consumer<StepOutput>>of(out -> out.fail("sold out"), out -> out.shutdown("closed"))) {
      CompletableFuture<@Nullable Void> gate = new CompletableFuture<>();
      Pid other =
          runtime.spawn((events, out) -> {
            if (!events.isEmpty()) {
              gate.join();
              how.accept(out);
            }
          });
      Exit[] exits = new Exit[2];
      Ref<Message> traps = runtime.spawn(new Probe());
      Ref<Message> doesNot = runtime.spawn(new Probe());
      traps(traps);
      for (Ref<Message> each : List.of(traps, doesNot)) {
        each.send(new Do(it -> it.own().link(other)));
        assertThat(each.ask(Words::new, DAY)).isEmpty();
      }
      var first = runtime.whenExited(pidOf(traps));
      var second = runtime.whenExited(pidOf(doesNot));
      runtime.send(other, "go");
      gate.complete(null);
      exits[0] = Kit.get(first);
      exits[1] = Kit.get(second);
      assertThat(exits[0].reason()).isEqualTo(exits[1].reason());
      assertThat(exits[0].detail()).isEqualTo(exits[1].detail());
      assertThat(exits[0].origin()).isEqualTo(other).isEqualTo(exits[1].origin());
      assertThat(exits[0].cause())
          .isInstanceOf(LinkedExitException.class)
          .hasMessage(Objects.requireNonNull(exits[1].cause()).getMessage());
    }
  }

  // ---- what was asked for ----

  @Test
  @Tag("proc-309")
  void commandsOfAHandler_areCarriedOut_whereALaterMessageOfTheStepFails() throws Exception {
    BlockingQueue<Object> effects = Kit.queue();
    Pid target = runtime.spawn((events, _) -> events.forEach(event -> effects.add(event.data())));
    Probe probe = new Probe();
    Ref<Message> server = runtime.spawn(probe);
    var exit = runtime.whenExited(pidOf(server));
    inOneStep(
        server,
        new Do(it -> it.run(Commands.send(target, "of one that has returned"))),
        new Do(it -> {
          it.run(Commands.send(target, "before the failure"));
          throw FAILURE;
        }),
        new Do(it -> it.run(Commands.send(target, "never"))));
    assertThat(Kit.get(exit).cause()).isSameAs(FAILURE);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.FAILED);
    assertThat(Kit.take(effects)).isEqualTo("of one that has returned");
    assertThat(Kit.take(effects)).isEqualTo("before the failure");
    assertThat(effects).isEmpty();
  }

  @Test
  @Tag("proc-309")
  void commandsOfInit_areCarriedOut_whereTheFirstStepFails() throws Exception {
    BlockingQueue<Object> effects = Kit.queue();
    Pid target = runtime.spawn((events, _) -> events.forEach(event -> effects.add(event.data())));
    Probe probe =
        new Probe() {
          @Override
          protected void init(@Nullable Object input) {
            run(Commands.send(target, "of init"));
            thenDo(_ -> {
              throw FAILURE;
            });
          }
        };
    assertThat(Kit.exit(runtime, pidOf(runtime.spawn(probe))).cause()).isSameAs(FAILURE);
    assertThat(Kit.take(effects)).isEqualTo("of init");
  }

  @Test
  @Tag("proc-309")
  void failWith_ofAStep_carriesOutWhatItHasYielded_andFailsWithThat() throws Exception {
    BlockingQueue<Object> effects = Kit.queue();
    Pid target = runtime.spawn((events, _) -> events.forEach(event -> effects.add(event.data())));
    Pid step =
        runtime.spawn((_, out) -> {
          out.execute(1, Commands.send(target, "effect"));
          out.failWith(FAILURE);
          assertThat(out.failure()).isSameAs(FAILURE);
          assertThat(out.detail()).isNull();
        });
    assertThat(Kit.exit(runtime, step).cause()).isSameAs(FAILURE);
    assertThat(Kit.take(effects)).isEqualTo("effect");
  }

  @Test
  @Tag("proc-314")
  void commandsAndTimers_costNoMore_howeverManyAStepAsksForAndCallsOff() throws Exception {
    int many = 300_000;
    Ref<Message> server = runtime.spawn(new Probe());
    var exit = runtime.whenExited(pidOf(server));
    inOneStep(
        server,
        new Do(it -> {
          long[] tags = new long[many];
          for (int i = 0; i < many; i++) {
            tags[i] = it.run(new Kit.Call("never"));
          }
          for (long tag : tags) { // the oldest first
            assertThat(it.callOff(tag)).isTrue();
          }
        }),
        new Do(it -> {
          for (int i = 0; i < many; i++) {
            it.timer(i, Duration.ofDays(1), "never");
          }
          it.end("well");
        }));
    assertThat(Kit.get(exit).result()).isEqualTo("well");
    assertThat(asked).isEmpty();
  }
}
