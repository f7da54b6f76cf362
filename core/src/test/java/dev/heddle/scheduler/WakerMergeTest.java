// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.FailureReport;
import dev.heddle.WaitCancelledException;
import dev.heddle.failure.FailureTable;
import dev.heddle.scheduler.Subscriptions.Role;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a coroutine gets for which several events fire, or which is cancelled, before its turn.
@Tag("once")
class WakerMergeTest extends WakerFixture {
  @Test
  @Tag("W7")
  void severalSuccesses_inOneTick_theFirstWins() {
    List<Bell> bells = awaited(2);
    waker.beginWait();
    bells.get(1).ring("first");
    bells.get(0).ring("second");
    assertThat(waker.deliver()).isEqualTo("first");
  }

  @Test
  @Tag("W7")
  @Tag("loop-300")
  void errorAfterASuccess_inOneTick_isThrown() {
    List<Bell> bells = awaited(2);
    waker.beginWait();
    IllegalStateException failure = new IllegalStateException("x");
    bells.get(1).ring("value");
    bells.get(0).crack(failure);
    assertThatThrownBy(waker::deliver).isSameAs(failure);
  }

  @Test
  @Tag("W7")
  @Tag("loop-300")
  void successAfterAnError_inOneTick_changesNothing() {
    List<Bell> bells = awaited(2);
    waker.beginWait();
    IllegalStateException failure = new IllegalStateException("x");
    bells.get(0).crack(failure);
    bells.get(1).ring("value");
    assertThatThrownBy(waker::deliver).isSameAs(failure);
  }

  @Test
  @Tag("loop-300")
  @Tag("trap-17")
  void pendingCancellation_atTheResume_isThrownInPlaceOfTheResult() {
    Bell bell = bell("a");
    waker.resumeWhen(bell);
    waker.beginWait();
    bell.ring("value");
    Cancellation cancellation = new Cancellation("stop");
    waker.cancelWith(cancellation);
    assertThatThrownBy(waker::deliver).isSameAs(cancellation);
    assertThat(waker.status()).isEqualTo(WakerStatus.NO_STATUS);
    assertThat(bell.isAtRest()).isTrue();
  }

  private static List<Throwable> merged(Throwable kept) {
    FailureReport report = FailureTable.reportOf(kept);
    return report == null ? List.of() : report.merged();
  }

  @Test
  @Tag("W7")
  @Tag("loop-300")
  void errorAfterAnError_inOneTick_isThrownAndTheEarlierStandsInItsReport() {
    List<Bell> bells = awaited(3);
    waker.beginWait();
    List<Throwable> failures = new ArrayList<>();
    for (Bell bell : bells) {
      Throwable failure = new IllegalStateException(bell.info());
      failures.add(failure);
      assertThat(waker.acceptsFailure()).isTrue();
      bell.crack(failure);
    }
    assertThatThrownBy(waker::deliver).isSameAs(failures.get(2));
    assertThat(merged(failures.get(2))).containsExactly(failures.get(1));
    assertThat(merged(failures.get(1))).containsExactly(failures.get(0));
    assertThat(failures.get(2).getSuppressed()).isEmpty();
  }

  @Test
  @Tag("loop-300")
  @Tag("trap-65")
  void sameErrorTwice_inOneTick_isNotMergedWithItself() {
    List<Bell> bells = awaited(2);
    waker.beginWait();
    IllegalStateException failure = new IllegalStateException("x");
    bells.forEach(bell -> bell.crack(failure));
    assertThatThrownBy(waker::deliver).isSameAs(failure);
    assertThat(merged(failure)).isEmpty();
  }

  @Test
  @Tag("loop-300")
  @Tag("trap-19")
  void cancellationAfterAnError_staysPendingAndIsThrownAtTheNextSuspension() {
    Bell bell = bell("a");
    waker.resumeWhen(bell);
    waker.beginWait();
    IllegalStateException failure = new IllegalStateException("x");
    Cancellation cancellation = new Cancellation("stop");
    bell.crack(failure);
    waker.cancelWith(cancellation);
    assertThatThrownBy(waker::deliver).isSameAs(failure);
    assertThat(waker.pending).isSameAs(cancellation);
    assertThatThrownBy(waker::beginYield).isSameAs(cancellation);
  }

  @Test
  @Tag("loop-300")
  void errorAfterACancellation_isNotTakenAndTheCancellationIsThrown() {
    Bell bell = bell("a");
    waker.resumeWhen(bell);
    waker.beginWait();
    Cancellation cancellation = new Cancellation("stop");
    waker.cancelWith(cancellation);
    waker.woken();
    assertThat(waker.acceptsFailure()).isFalse();
    bell.crack(new IllegalStateException("x"));
    assertThatThrownBy(waker::deliver).isSameAs(cancellation);
  }

  @Test
  @Tag("loop-300")
  void cancellationOfWhatIsAwaited_isSupersededByAnErrorWhicheverComesFirst() {
    for (boolean cancellationFirst : new boolean[] {true, false}) {
      waker.renew();
      List<Bell> bells = bells(2);
      bells.forEach(bell -> waker.resumeWhen(bell));
      waker.beginWait();
      IllegalStateException failure = new IllegalStateException("x");
      Cancellation ofOther = new Cancellation("the other's");
      bells.get(0).crack(cancellationFirst ? ofOther : failure);
      bells.get(1).crack(cancellationFirst ? failure : ofOther);
      assertThatThrownBy(waker::deliver).isSameAs(failure);
      assertThat(merged(failure)).isEmpty();
    }
  }

  @Test
  @Tag("loop-300")
  @Tag("loop-88")
  void twoCancellationsOfWhatIsAwaited_theFirstWins() {
    List<Bell> bells = awaited(2);
    waker.beginWait();
    Cancellation first = new Cancellation("first");
    bells.get(1).crack(first);
    bells.get(0).crack(new Cancellation("second"));
    assertThatThrownBy(waker::deliver).isSameAs(first);
  }

  @Test
  @Tag("loop-300")
  void tokenAfterAnError_changesNothingAndItsOwnErrorStandsInTheReport() {
    Bell target = bell("target");
    Bell token = bell("token");
    waker.resumeWhen(target, Role.RESOLVE);
    waker.resumeWhen(token, Role.CANCEL);
    waker.beginWait();
    IllegalStateException failure = new IllegalStateException("x");
    IllegalStateException ofToken = new IllegalStateException("token");
    target.crack(failure);
    token.crack(ofToken);
    assertThatThrownBy(waker::deliver).isSameAs(failure);
    assertThat(merged(failure)).containsExactly(ofToken);
  }

  @Test
  @Tag("loop-300")
  void errorAfterATimeout_isNotTaken() {
    Bell target = bell("target");
    Bell timer = bell("timer");
    waker.resumeWhen(target, Role.RESOLVE);
    waker.resumeWhen(timer, Role.TIMEOUT);
    waker.beginWait();
    timer.ring(null);
    assertThat(waker.acceptsFailure()).isFalse();
    target.crack(new IllegalStateException("x"));
    assertThatThrownBy(waker::deliver).isInstanceOf(DeadlineException.class);
  }

  @Test
  @Tag("loop-300")
  void errorOfATokenAfterTheCancellationOfWhatIsAwaited_isThrown() {
    Bell target = bell("target");
    Bell token = bell("token");
    waker.resumeWhen(target, Role.RESOLVE);
    waker.resumeWhen(token, Role.CANCEL);
    waker.beginWait();
    target.crack(new Cancellation("the other's"));
    assertThat(waker.acceptsFailure()).isTrue();
    IllegalStateException ofToken = new IllegalStateException("token");
    token.crack(ofToken);
    assertThatThrownBy(waker::deliver).isInstanceOf(WaitCancelledException.class).hasCause(ofToken);
  }

  @Test
  @Tag("loop-300")
  @Tag("trap-19")
  void cancellationAfterTheErrorOfAToken_staysPendingAndIsThrownAtTheNextSuspension() {
    Bell token = bell("token");
    waker.resumeWhen(bell("target"), Role.RESOLVE);
    waker.resumeWhen(token, Role.CANCEL);
    waker.beginWait();
    IllegalStateException ofToken = new IllegalStateException("token");
    Cancellation cancellation = new Cancellation("stop");
    token.crack(ofToken);
    waker.cancelWith(cancellation);
    assertThatThrownBy(waker::deliver).isInstanceOf(WaitCancelledException.class).hasCause(ofToken);
    assertThatThrownBy(waker::beginYield).isSameAs(cancellation);
  }
}
