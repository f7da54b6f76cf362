// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.pool.PoolStatus;
import dev.heddle.process.pool.ProcessPool;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Protocols that the compiler checks, and what is sent beside them.
@Timeout(300)
@Tag("proc-272")
class TypedProtocolTest extends CoroutineFixture {
  sealed interface Sum {
    record Add(int amount) implements Sum {}

    record Total(Reply<Integer> reply) implements Sum {}
  }

  static final class SumServer extends GenServer<Sum> {
    private int total;

    SumServer() {
      super(Sum.class);
    }

    @Override
    protected void receive(Sum message) {
      switch (message) {
        case Sum.Add(int amount) -> total += amount;
        case Sum.Total(Reply<Integer> reply) -> reply.complete(total);
      }
    }
  }

  private static TypedCoroutineProcess<Sum> body() {
    return TypedCoroutineProcess.of(
        Sum.class,
        self -> {
          int total = 0;
          while (true) {
            switch (self.next()) {
              case Sum.Add(int amount) -> total += amount;
              case Sum.Total(Reply<Integer> reply) -> reply.complete(total);
            }
          }
        });
  }

  private void adds(Ref<Sum> sum) throws InterruptedException {
    sum.send(new Sum.Add(2));
    assertThat(sum.offer(new Sum.Add(3))).isEqualTo(SendResult.ACCEPTED);
    int total = sum.ask(Sum.Total::new, DAY); // the compiler knows what is answered
    assertThat(total).isEqualTo(5);
    assertThat(result(self -> self.execute(Commands.ask(sum, Sum.Total::new, DAY)))).isEqualTo(5);
  }

  @Test
  void messagesAndAnswers_ofAServerAndABody_areTyped() throws Exception {
    adds(runtime.spawn(new SumServer()));
    adds(runtime.spawn(body()));
    assertThat(
            result(self -> {
              adds(self.context().spawn(new SumServer()));
              adds(self.context().spawn(body(), StartOptions.defaults()));
              return "both";
            }))
        .isEqualTo("both");
  }

  private void dropsOthers(Ref<Sum> sum) throws Exception {
    BlockingQueue<Object> letters = Kit.queue();
    Pid reader = runtime.spawn((events, _) -> events.forEach(event -> letters.add(event.data())));
    runtime.events().subscribe(DeadLetter.class, reader);
    Pid pid = Objects.requireNonNull(sum.pid());
    runtime.send(pid, "no sum");
    assertThat(Kit.take(letters))
        .isEqualTo(new DeadLetter("no sum", pid, null, null, DeadLetter.Reason.UNHANDLED));
    runtime.send(pid, new Sum.Add(7)); // untyped, but of the protocol
    assertThatThrownBy(() -> runtime.ask(pid, "no question", DAY))
        .isInstanceOf(AskFailedException.class)
        .hasMessageContaining("Sum");
    assertThat(sum.ask(Sum.Total::new, DAY)).isEqualTo(7);
    assertThat(runtime.events().unsubscribe(DeadLetter.class, reader)).isTrue();
  }

  @Test
  void messageOfAnotherClass_isADeadLetter_failsItsAsker_andHarmsNothing() throws Exception {
    dropsOthers(runtime.spawn(new SumServer()));
    dropsOthers(runtime.spawn(body()));
  }

  @Test
  void refWithAWrongClaim_failsTheAsk() {
    Pid sum = Objects.requireNonNull(runtime.spawn(new SumServer()).pid());
    Ref<Object> claimed = runtime.ref(sum, Object.class);
    assertThatThrownBy(() -> claimed.ask(_ -> "no question", DAY))
        .isInstanceOf(AskFailedException.class);
  }

  @Test
  void signals_ofATypedBody_stayForReceive() {
    Pid other = runtime.spawn(Kit.resting());
    Ref<Sum> watching =
        runtime.spawn(
            TypedCoroutineProcess.of(
                Sum.class,
                self -> {
                  self.context().monitor(other);
                  Sum first = self.next();
                  return first + " " + self.receive(ProcessSignal.Down.class).exit().reason();
                }));
    Pid pid = Objects.requireNonNull(watching.pid());
    var exit = runtime.whenExited(pid);
    runtime.terminate(other);
    Kit.exit(runtime, other);
    watching.send(new Sum.Add(1));
    assertThat(Kit.get(exit).result()).isEqualTo("Add[amount=1] TERMINATED");
  }

  @Test
  void limitOfATypedBody_isKept() {
    Ref<Sum> waiting =
        runtime.spawn(TypedCoroutineProcess.of(Sum.class, self -> self.next(Duration.ofMillis(1))));
    assertThat(Kit.exit(runtime, Objects.requireNonNull(waiting.pid())).cause())
        .isInstanceOf(DeadlineException.class);
  }

  @Test
  void typedAsk_seenByAnUntypedProcess_isARequestThatEitherReplyAnswers() throws Exception {
    Pid pid =
        runtime.spawn((events, _) -> {
          for (ProcessEvent event : events) {
            Request request = (Request) event.data();
            assertThat(request.isTyped()).isTrue();
            request.reply().complete(9);
          }
        });
    assertThat(runtime.ref(pid, Sum.class).ask(Sum.Total::new, DAY)).isEqualTo(9);
  }

  @Test
  void typedAsk_throughAPool_isAnsweredByAMember_whichIsFreeAfterwards() throws Exception {
    Pid pool = runtime.spawn(ProcessPool.of(SumServer::new).members(0, 1).build());
    Ref<Sum> sum = runtime.ref(pool, Sum.class);
    for (int i = 0; i < 3; i++) {
      assertThat(sum.ask(Sum.Total::new, DAY)).isZero();
    }
    PoolStatus status = runtime.ask(pool, new ProcessPool.GetStatus(), DAY);
    while (status.busy() > 0) { // the member has answered before the pool knows
      status = runtime.ask(pool, new ProcessPool.GetStatus(), DAY);
    }
    assertThat(status.calls()).isEqualTo(3);
  }

  @Test
  void nameOfAnother_givesARefToThatOne() throws Exception {
    StartOptions named = StartOptions.defaults().withName("sum");
    Ref<Sum> first = runtime.spawn(new SumServer(), named);
    first.send(new Sum.Add(4));
    Ref<Sum> second = runtime.spawn(new SumServer(), named);
    assertThat(second.ask(Sum.Total::new, DAY)).isEqualTo(4);
  }

  sealed interface Other {}

  record Hello() implements Other {}

  private static TypedCoroutineProcess<Other> other() {
    return TypedCoroutineProcess.of(Other.class, TypedCoroutineProcess::next);
  }

  @Test
  @Tag("proc-330")
  void nameOfAProcessOfAnotherProtocol_refusesATypedStart_andSaysWhoHasIt() throws Exception {
    StartOptions named = StartOptions.defaults().withName("sum");
    Ref<Sum> sum = runtime.spawn(new SumServer(), named);
    assertThatThrownBy(() -> runtime.spawn(other(), named))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll(
            "'sum'", String.valueOf(sum.pid()), SumServer.class.getName(), " since 20")
        .hasMessageContainingAll("messages of " + Sum.class.getName(), Other.class.getName());
    assertThat(failure(self -> self.context().spawn(other(), named)))
        .isInstanceOf(StartRefusedException.class);
    assertThat(runtime.spawn((Process) other(), named)).isEqualTo(sum.pid()); // a PID takes all
    assertThat(sum.ask(Sum.Total::new, DAY)).isZero();
    while (runtime.counters().processes() > 1) { // the body that tried may still be ending
      Thread.onSpinWait();
    }
  }

  @Test
  @Tag("proc-330")
  void nameOfAProcessWithoutProtocol_refusesATypedStart() {
    StartOptions named = StartOptions.defaults().withName("raw");
    runtime.spawn(Kit.resting(), named);
    assertThatThrownBy(() -> runtime.spawn(other(), named))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("has no protocol");
  }

  @Test
  @Tag("proc-330")
  void nameOfAProcessThatTakesMore_givesARefToThatOne() {
    StartOptions named = StartOptions.defaults().withName("all");
    Ref<Object> all =
        runtime.spawn(TypedCoroutineProcess.of(Object.class, TypedCoroutineProcess::next), named);
    Ref<Other> some = runtime.spawn(other(), named);
    assertThat(some.pid()).isEqualTo(all.pid());
  }
}
