// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventStream;
import dev.heddle.event.Future;
import dev.heddle.event.source.EventSource;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Signals as events. In this process only such are raised as do no harm while nobody handles them.
@Tag("T13.3")
@Timeout(300)
@Proves("signals")
class SignalsTest {
  private static final Deadline SOON = Deadline.after(Duration.ofNanos(1));

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  /// Spawns a coroutine that waits for a signal, and lets it begin.
  private static Coroutine<Signal> waiting(String name) {
    Coroutine<Signal> waiter = Heddle.spawn(() -> Heddle.await(Signals.of(name)));
    Heddle.yieldNow();
    return waiter;
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void signal_raised_wakesEveryWaiter() {
    inLoop(() -> {
      Coroutine<Signal> one = waiting("WINCH");
      Coroutine<Signal> other = waiting("SIGWINCH");
      Raise.signal("WINCH");
      assertThat(one.await().name()).isEqualTo("WINCH");
      assertThat(other.await()).isEqualTo(one.await());
    });
  }

  @Test
  @Tag("loop-242")
  void signal_awaitedInTwoLoops_wakesBoth() {
    CompletableFuture<?> waits = new CompletableFuture<>();
    Loop<Signal> beside =
        Loop.start(() -> {
          try (EventStream<Signal> signals = Signals.stream(1, "URG")) {
            waits.complete(null);
            return signals.next();
          }
        });
    inLoop(() -> {
      Coroutine<Signal> here = waiting("URG");
      waits.join();
      Raise.signal("URG");
      assertThat(here.await().name()).isEqualTo("URG");
      assertThat(Heddle.offload(beside::join).name()).isEqualTo("URG");
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void stream_getsEachOfSeveral() throws Exception {
    ChildJvm.Result result = ChildJvm.of(SignalProgram.class).with("-Dstory=repeats").run();
    assertThat(result.output()).containsSubsequence("got SIGUSR1 ", "got SIGALRM ", "got SIGUSR1 ");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  @Tag("loop-240")
  @Shows(Aspect.DEADLINE)
  void await_whoseDeadlineRunsOutFirst_throwsThat() {
    inLoop(() ->
        assertThatThrownBy(() -> Heddle.await(Signals.of("WINCH"), SOON))
            .isInstanceOf(DeadlineException.class));
  }

  @Test
  @Shows(Aspect.CANCEL)
  void await_whoseTokenFiresFirst_saysSo() {
    inLoop(() ->
        assertThatThrownBy(() -> Heddle.await(Signals.of("WINCH"), Heddle.timer(Duration.ZERO)))
            .isInstanceOf(WaitCancelledException.class));
  }

  @Test
  void signal_asToken_endsAnotherWait() {
    inLoop(() -> {
      Coroutine<?> bounded =
          Heddle.spawn(() ->
              Heddle.cancelWhen(Signals.of("WINCH"), () -> Heddle.delay(Duration.ofHours(1))));
      Heddle.yieldNow();
      Raise.signal("WINCH");
      assertThatThrownBy(bounded::await).isInstanceOf(WaitCancelledException.class);
    });
  }

  @Test
  @Tag("loop-241")
  void signals_thatAreNotAwaited_doNotKeepTheLoopAlive() {
    Future<?>[] lost = new Future<?>[1];
    inLoop(() -> {
      Awaitable<Signal> signal = Signals.of("WINCH");
      lost[0] = Future.of(signal);
      EventStream<Signal> open = Signals.stream(1, "WINCH");
      Heddle.await(Heddle.timer(Duration.ZERO), signal);
      assertThat(open.lost()).isZero();
    });
    assertThat(lost[0].isDone()).isFalse();
  }

  @Test
  void loop_thatOnlyAwaitsASignal_isNoDeadlock() {
    inLoop(() -> {
      EventSource later =
          EventSource.of(Heddle.daemonTimer(Duration.ofMillis(1))); // hidden: keeps nobody alive
      later.subscribe((_, _, _) -> Raise.signal("URG"));
      later.start();
      assertThat(Heddle.await(Signals.of("URG")).name()).isEqualTo("URG");
    });
  }

  @Test
  @Tag("trap-12")
  void handler_thatWasThereBefore_isPutBackWhenTheLastWaitIsOver() {
    Object before = Raise.handlerOf("WINCH");
    inLoop(() -> {
      Coroutine<Signal> one = waiting("WINCH");
      EventStream<Signal> stream = Signals.stream(1, "WINCH");
      one.cancel("not needed");
      assertThatThrownBy(one::await).isInstanceOf(Cancellation.class);
      Heddle.yieldNow();
      assertThat(Raise.handlerOf("WINCH")).isNotSameAs(before);
      stream.close();
      Heddle.yieldNow();
      assertThat(Raise.handlerOf("WINCH")).isSameAs(before);
    });
  }

  @Test
  @Tag("trap-12")
  @Shows(Aspect.CLOSE)
  void handler_ofAStreamThatWasLeftOpen_isPutBackWhenTheLoopEnds() {
    Object before = Raise.handlerOf("WINCH");
    inLoop(() -> {
      EventStream<Signal> open = Signals.stream(1, "WINCH");
      assertThat(Raise.handlerOf("WINCH")).isNotSameAs(before);
      assertThat(open.lost()).isZero();
    });
    assertThat(Raise.handlerOf("WINCH")).isSameAs(before);
  }

  @Test
  @Tag("loop-242")
  void termThatIsNotAwaited_killsTheProcess_whenItIsANewRequest() throws Exception {
    ChildJvm.Result result = ChildJvm.of(SignalProgram.class).with("-Dstory=left").run();
    assertThat(result.output()).containsSubsequence("got SIGTERM 15", "goes on");
    assertThat(result.exitCode()).isEqualTo(143);
  }

  @Test
  @Tag("loop-307")
  void handler_ofATermThatWasAwaited_isPutBackAfterASecond() throws Exception {
    ChildJvm.Result result = ChildJvm.of(SignalProgram.class).with("-Dstory=given back").run();
    assertThat(result.output().lines()).containsExactly("got SIGTERM 15", "given back");
  }

  @Test
  void loopThatSignalsStop_leavesTheSignalToItsWaiter_andIsStoppedByTheNextRequest()
      throws Exception {
    ChildJvm.Result result = ChildJvm.of(SignalProgram.class).with("-Dstory=stopped").run();
    assertThat(result.output())
        .containsSubsequence("got SIGTERM 15", "goes on", "the loop is stopping: SIGTERM");
    assertThat(result.exitCode()).isOne();
  }

  /// The JVM halted at once, although nothing had asked this loop to stop before.
  @Test
  @Tag("loop-307")
  void signal_afterALoopThatAnEarlierOneHasStoppedIsOver_stopsTheOthersGracefully()
      throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(SignalProgram.class).with("-Dstory=another has stopped").run();
    assertThat(result.output())
        .containsSubsequence(
            "got SIGTERM 15", "the other one exits: 143", "the loop is stopping: SIGTERM");
  }

  @ParameterizedTest
  @ValueSource(strings = {"KILL", "STOP", "SEGV", "QUIT", "ILL", "FPE", "BUS", "USR2", "PIPE"})
  void signals_thatCannotBeHandled_areRefusedWithTheReason(String name) {
    inLoop(() ->
        assertThatThrownBy(() -> Heddle.await(Signals.of(name)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("SIG" + name)
            .hasMessageContaining("JVM"));
  }

  @Test
  void stream_ofASignalThatCannotBeHandled_isNotOpened() {
    try (Reports reports = new Reports()) {
      inLoop(() ->
          assertThatThrownBy(() -> Signals.stream(1, "WINCH", "KILL"))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageStartingWith("SIGKILL"));
      assertThat(reports.messages()).isEmpty();
    }
    assertThat(Raise.handlerOf("WINCH")).hasToString("SIG_DFL");
  }

  @Test
  void signals_thatTheJvmKeeps_areRefusedWithTheReason() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(SignalProgram.class).with("-Dstory=kept", "-Dsignal=TERM", "-Xrs").run();
    assertThat(result.output()).contains("refused: SIGTERM cannot be handled in this JVM");
  }

  @Test
  void signals_thatTheProcessWasStartedToIgnore_areRefused() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(SignalProgram.class)
            .with("-Dstory=ignored", "-Dsignal=HUP")
            .ignoring("HUP")
            .run();
    assertThat(result.output()).contains("refused: SIGHUP").contains("nohup");
  }

  @Test
  void signals_thatTheProcessWasStartedToIgnore_doNoHarmBesideOthers() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(SignalProgram.class).with("-Dstory=partly ignored").ignoring("HUP").run();
    assertThat(result.output()).contains("got SIGUSR1");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void signals_thatThereAreNot_areRefusedByName() {
    inLoop(() ->
        assertThatThrownBy(() -> Signals.of("TERM", "NOPE"))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("SIGNOPE"));
  }

  @Test
  void signals_askedForOutsideOfLoops_areRefusedNamingHeddleRun() {
    assertThatThrownBy(() -> Signals.of("TERM"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  @Test
  void dump_namesTheSignalsThatAreWaitedFor() {
    inLoop(() -> {
      Coroutine<Signal> waiter = Heddle.spawn(() -> Heddle.await(Signals.of("WINCH", "URG")));
      Heddle.yieldNow();
      assertThat(Heddle.dump().text()).contains("SIGWINCH or SIGURG");
      waiter.cancel("enough");
    });
  }
}
