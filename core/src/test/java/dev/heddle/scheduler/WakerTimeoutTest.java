// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.scheduler.Subscriptions.Role;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A wait that a deadline and a token bound.
@Tag("W4")
@Tag("once")
class WakerTimeoutTest extends WakerFixture {
  private static final Duration DAY = Duration.ofDays(1);

  private final Bell token = bell("token");

  private void dayPasses() {
    scheduler.timers().advance(scheduler.nanoTime() + DAY.plusSeconds(1).toNanos());
  }

  private void assertAtRest(List<Bell> targets) {
    assertThat(Stream.concat(targets.stream(), Stream.of(token))).allMatch(Bell::isAtRest);
    assertThat(scheduler.timers().size()).isZero();
    assertThat(waker.awaitedEvents()).isEmpty();
  }

  // ---- define ----

  @Test
  void define_inACoroutine_isTheSameWakerForEveryWait() {
    Heddle.run(() -> {
      EventSource timer = EventSource.of(Heddle.timer(Duration.ofMillis(1)));
      Waker defined = Waker.define(timer);
      Heddle.await(timer);
      assertThat(Waker.define(timer)).isSameAs(defined);
      Heddle.spawn(() -> assertThat(Waker.define(timer)).isNotSameAs(defined)).await();
    });
  }

  @Test
  void define_outsideOfCoroutines_namesWhatWasToBeAwaitedAndWhere() {
    assertThatThrownBy(() -> Waker.define(bell("the bell")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the bell")
        .hasMessageContaining("Heddle.run");
  }

  // ---- what ends a bounded wait ----

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 12})
  void eventOfABoundedWait_thatFires_isItsResult(int targets) {
    waker.renewWithTimeout(Deadline.after(DAY), token);
    List<Bell> bells = awaited(targets);
    assertThat(waker.beginWait()).isTrue();
    assertThat(waker.awaitedEvents()).hasSize(targets + 2).contains(token).containsAll(bells);
    bells.getLast().ring("value");
    assertThat(waker.deliver()).isEqualTo("value");
    assertAtRest(bells);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 12})
  void deadlineOfABoundedWait_thatRunsOut_endsIt(int targets) {
    waker.renewWithTimeout(Deadline.after(DAY), token);
    List<Bell> bells = awaited(targets);
    assertThat(waker.beginWait()).isTrue();
    dayPasses();
    assertThatThrownBy(waker::deliver).isInstanceOf(DeadlineException.class);
    assertAtRest(bells);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 12})
  void tokenOfABoundedWait_thatFires_endsIt(int targets) {
    waker.renewWithTimeout(Deadline.after(DAY), token);
    List<Bell> bells = awaited(targets);
    assertThat(waker.beginWait()).isTrue();
    token.ring("anything");
    assertThatThrownBy(waker::deliver).isInstanceOf(WaitCancelledException.class);
    assertAtRest(bells);
  }

  @Test
  void waitBoundedByNothing_isOneLikeAnyOther() {
    waker.renewWithTimeout(Deadline.never(), null);
    List<Bell> bells = awaited(1);
    waker.beginWait();
    assertThat(scheduler.timers().size()).isZero();
    assertThat(waker.awaitedEvents()).hasSize(1);
    bells.getFirst().ring("value");
    assertThat(waker.deliver()).isEqualTo("value");
  }

  // ---- what counts before what ----

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 12})
  void whatIsThereAlready_isNotCutShortByAnEndThatHasComeToo(int targets) {
    token.closedWith("over", null);
    waker.renewWithTimeout(Deadline.after(DAY), token);
    List<Bell> bells = awaited(targets);
    bells.getLast().closedWith("early", null);
    assertThat(waker.beginWait()).isFalse();
    assertThat(scheduler.timers().size()).isZero();
    assertThat(waker.deliver()).isEqualTo("early");
    assertAtRest(bells);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 12})
  @Tag("loop-52")
  void tokenThatIsAlsoAwaited_isWhatIsAwaited(int others) {
    waker.renewWithTimeout(Deadline.after(DAY), token);
    List<Bell> bells = awaited(others);
    waker.resumeWhen(token);
    waker.beginWait();
    assertThat(token.arms).isOne();
    token.ring("value");
    assertThat(waker.deliver()).isEqualTo("value");
    assertAtRest(bells);
  }

  @Test
  void tokenBeyondTheInlinePlaces_thatIsAlsoAwaited_isWhatIsAwaited() {
    List<Bell> bells = awaited(3);
    waker.resumeWhen(token, Role.CANCEL);
    waker.resumeWhen(token);
    waker.beginWait();
    token.ring("value");
    assertThat(waker.deliver()).isEqualTo("value");
    assertAtRest(bells);
  }

  @Test
  void bounds_ofAWaitThatNeverBegan_areGoneWithTheNext() {
    waker.renewWithTimeout(Deadline.after(DAY), token);
    waker.renew();
    List<Bell> bells = awaited(1);
    waker.beginWait();
    assertThat(waker.awaitedEvents()).hasSize(1);
    bells.getFirst().ring("value");
    waker.deliver();
    assertThat(token.arms).isZero();
  }
}
