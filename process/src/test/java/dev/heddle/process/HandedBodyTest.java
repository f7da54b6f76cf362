// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.event.DeadLetter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A body that another process runs, which hands it messages: what becomes of those that it does
/// not receive.
@Timeout(300)
class HandedBodyTest {
  private volatile Process next = Kit.resting();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).factory(_ -> next).start();

  @AfterEach
  void end() {
    runtime.shutdown(java.time.Duration.ZERO);
  }

  /// How a body is run.
  enum Run {
    ALONE,
    WITHIN,
    WITHIN_ONE_BY_ONE,
    WITHIN_WITH_A_CONTEXT_OF_ITS_OWN;

    Process process(CoroutineProcess body) {
      return switch (this) {
        case ALONE -> body;
        case WITHIN -> new Handing(body, false);
        case WITHIN_ONE_BY_ONE -> new Handing(body, true);
        case WITHIN_WITH_A_CONTEXT_OF_ITS_OWN -> new Handing(body, false, HandedBodyTest::another);
      };
    }
  }

  /// A context that does the same as another.
  private static ProcessContext another(ProcessContext self) {
    return (ProcessContext)
        Proxy.newProxyInstance(
            HandedBodyTest.class.getClassLoader(),
            new Class<?>[] {ProcessContext.class},
            (_, method, arguments) -> {
              try {
                return method.invoke(self, arguments);
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            });
  }

  private static Process collecting(int wanted) {
    List<@Nullable Object> all = new ArrayList<>();
    return (events, out) -> {
      events.forEach(event -> all.add(event.data()));
      if (all.size() == wanted) {
        out.done(all);
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  @Tag("proc-301")
  void body_thatUpgrades_leavesWhatItHasNotReceived_howeverItIsRun(Run run) {
    next = collecting(4);
    CountDownLatch sent = new CountDownLatch(1);
    CoroutineProcess body =
        CoroutineProcess.of(self -> {
          sent.await();
          self.receive("go"::equals); // and passes over "a" and "b"
          self.upgrade("next", Process.RUN, null);
          return null;
        });
    Pid pid = runtime.spawn(run.process(body));
    var exit = runtime.whenExited(pid);
    for (Object message : new Object[] {"a", "b", "go", "c", "d"}) {
      runtime.send(pid, message);
    }
    sent.countDown();
    assertThat(Kit.get(exit).result()).isEqualTo(List.of("a", "b", "c", "d"));
    assertThat(runtime.undelivered()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("proc-302")
  void whatABodyHasNotReceivedAtItsEnd_isCounted_isADeadLetter_andFailsItsAsker(Run run)
      throws Exception {
    BlockingQueue<Object> letters = letters();
    CoroutineProcess body = CoroutineProcess.of(self -> self.receive("go"::equals));
    Pid pid = runtime.spawn(run.process(body));
    var exit = runtime.whenExited(pid);
    runtime.send(pid, 1);
    runtime.send(pid, 2);
    var answer = runtime.request(pid, "question");
    runtime.send(pid, "go");
    assertThat(Kit.get(exit).result()).isEqualTo("go");
    assertThat(runtime.undelivered()).isEqualTo(3);
    assertThatThrownBy(() -> Kit.get(answer)).hasCauseInstanceOf(NoReplyException.class);
    assertThat(List.of(Kit.take(letters), Kit.take(letters))).containsExactly(1, 2);
    assertThat(Kit.take(letters)).isInstanceOf(Request.class);
  }

  private BlockingQueue<Object> letters() {
    BlockingQueue<Object> letters = Kit.queue();
    Pid reader =
        runtime.spawn((events, _) ->
            events.forEach(event -> {
              if (event.data() instanceof DeadLetter letter) {
                assertThat(letter.reason()).isEqualTo(DeadLetter.Reason.RECEIVER_ENDED);
                letters.add(Objects.requireNonNull(letter.message()));
              }
            }));
    runtime.events().subscribe(DeadLetter.class, reader);
    return letters;
  }

  /// Runs a body until it is told to close it, and lives on.
  private static final class ClosesItsBody extends Handing {
    private boolean closed;

    ClosesItsBody(CoroutineProcess body) {
      super(body, false);
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
      if (closed) {
        out.done(events.getFirst().data());
      } else if (events.stream().anyMatch(event -> "close".equals(event.data()))) {
        close();
        closed = true;
      } else {
        super.step(events, out);
      }
    }
  }

  @Test
  @Tag("proc-302")
  void bodyThatIsClosed_beforeTheProcessAroundItEnds_failsTheRequestsItHasNotReceived_atOnce()
      throws Exception {
    BlockingQueue<Object> letters = letters();
    CoroutineProcess body = CoroutineProcess.of(self -> self.receive("never"::equals));
    Pid pid = runtime.spawn(new ClosesItsBody(body));
    var answer = runtime.request(pid, "question");
    while (Objects.requireNonNull(runtime.process(pid)).mailbox() > 0) { // the body is given it
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
    runtime.send(pid, "close");
    assertThatThrownBy(() -> Kit.get(answer))
        .hasMessageContaining("forwarded the request to a body");
    assertThat(Kit.take(letters)).isInstanceOf(Request.class);
    assertThat(runtime.undelivered()).isEqualTo(1);
    runtime.send(pid, "end");
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo("end");
    assertThat(runtime.undelivered()).isEqualTo(1);
  }
}
