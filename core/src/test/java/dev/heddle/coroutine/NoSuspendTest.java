// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

import dev.heddle.Action;
import dev.heddle.Heddle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sections that must not suspend.
@Timeout(300)
class NoSuspendTest {
  private final List<String> log = new ArrayList<>();

  private static void assertRefused(Action wait) {
    Heddle.run(() ->
        assertThatThrownBy(() -> Heddle.assertNoSuspend(wait))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("coroutine-1 'main' was asked to wait inside")
            .satisfies(e ->
                assertThat(Arrays.stream(e.getStackTrace()).map(StackTraceElement::getClassName))
                    .contains(NoSuspendTest.class.getName())));
  }

  @Test
  void yield_inASection_isRefused() {
    assertRefused(Heddle::yieldNow);
  }

  @Test
  void delay_inASection_isRefusedAndLeavesNoTimer() {
    assertRefused(() -> Heddle.delay(Duration.ofHours(1)));
  }

  @Test
  void await_inASection_isRefusedAndLeavesTheCoroutineAlone() {
    Heddle.run(() -> {
      Coroutine<Integer> other = Heddle.spawn(() -> 7);
      assertThatThrownBy(() -> Heddle.assertNoSuspend(() -> other.await()))
          .isInstanceOf(IllegalStateException.class);
      assertThat(other.await()).isEqualTo(7);
    });
  }

  @Test
  void section_thatDoesNotSuspend_returnsItsResult() {
    int result =
        Heddle.run(() -> {
          Coroutine<Integer> done = Heddle.spawn(() -> 7);
          done.await();
          return Heddle.assertNoSuspend(() -> Heddle.spawn(() -> 1).id() > 0 ? done.await() : 0);
        });
    assertThat(result).isEqualTo(7);
  }

  @Test
  void refusal_thatTheBodyCatches_failsTheSectionAllTheSame() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.assertNoSuspend(() -> {
                  try {
                    Heddle.yieldNow();
                  } catch (IllegalStateException e) {
                    log.add("caught");
                  }
                }))
            .hasMessageContaining("assertNoSuspend"));
    assertThat(log).containsExactly("caught");
  }

  @Test
  void foreignWait_inASection_failsItAndNamesThePlace() {
    SynchronousQueue<String> queue = new SynchronousQueue<>();
    Heddle.run(() -> {
      Heddle.launch("feeder", () -> queue.put("fed"));
      assertThatThrownBy(() -> Heddle.assertNoSuspend(() -> takeFrom(queue)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "was parked by the JDK inside Heddle.assertNoSuspend,"
                  + " in java.util.concurrent.SynchronousQueue.take, at "
                  + NoSuspendTest.class.getName()
                  + ".takeFrom(NoSuspendTest.java:");
    });
  }

  private static String takeFrom(SynchronousQueue<String> queue) throws InterruptedException {
    return queue.take();
  }

  @Test
  void failureOfTheBody_winsOverTheRefusalThatItCaught() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.assertNoSuspend(NoSuspendTest::catchAndFail))
          .isInstanceOf(UnsupportedOperationException.class)
          .satisfies(e ->
              assertThat(requireNonNull(Heddle.reportOf(e)).merged())
                  .singleElement(as(THROWABLE))
                  .hasMessageContaining("was asked to wait inside"));
      Heddle.yieldNow(); // free again
    });
  }

  private static void catchAndFail() {
    Heddle.assertNoSuspend(() -> {});
    assertThatThrownBy(Heddle::yieldNow).isInstanceOf(IllegalStateException.class);
    throw new UnsupportedOperationException("the body's own");
  }

  @Test
  void handlers_ofACoroutineInASection_hearOfNoRefusedSwitch() {
    Heddle.run(() -> {
      Heddle.current()
          .addSwitchHandler((_, kind) -> {
            log.add(kind == Switch.FINISH ? "finish" : kind == Switch.ENTER ? "enter" : "leave");
            return true;
          });
      assertThatThrownBy(() -> Heddle.assertNoSuspend(Heddle::yieldNow))
          .isInstanceOf(IllegalStateException.class);
      log.add("after");
      Heddle.yieldNow();
    });
    assertThat(log).containsExactly("after", "leave", "enter", "finish");
  }

  @Test
  void yieldOfTheJdk_inASection_failsIt() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Heddle.assertNoSuspend(() -> Thread.yield()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("in java.lang.Thread.yield"));
  }

  @Test
  void scope_openedInASection_keepsItsMembersAndFailsTheSection() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.assertNoSuspend(NoSuspendTest::openScope))
          .hasMessageContaining("was asked to wait inside")
          .satisfies(e ->
              assertThat(Arrays.stream(e.getStackTrace()).map(StackTraceElement::getMethodName))
                  .contains("openScope"));
      assertThat(Heddle.dump().coroutines()).as("members left behind").hasSize(1);
    });
  }

  private static void openScope() {
    Heddle.scope(scope -> scope.spawn(() -> 7));
  }

  @Test
  void violationOfAnInnerSection_failsTheOuterOne() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.assertNoSuspend(() ->
                    assertThatThrownBy(() -> Heddle.assertNoSuspend(() -> Thread.yield()))
                        .isInstanceOf(IllegalStateException.class)))
            .hasMessageContaining("in java.lang.Thread.yield"));
  }

  @Test
  void section_insideASwitchHandler_leavesTheHandlerThere() {
    Heddle.run(() -> {
      Heddle.current()
          .addSwitchHandler((_, kind) -> {
            Heddle.assertNoSuspend(() -> log.add(kind == Switch.ENTER ? "enter" : "leave"));
            return true;
          });
      Heddle.yieldNow();
    });
    assertThat(log).containsExactly("leave", "enter", "leave");
  }
}
