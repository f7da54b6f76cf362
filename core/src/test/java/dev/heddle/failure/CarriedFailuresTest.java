// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a cancellation carries along, and who gets it.
@Tag("trap-18")
class CarriedFailuresTest {
  private final Cancellation cut = new Cancellation("stop");
  private final IllegalStateException failure = new IllegalStateException("of the clean-up");

  private static Throwable take(Throwable of) {
    return CarriedFailures.take(
        of, t -> t instanceof Cancellation || t instanceof InterruptedException);
  }

  @Test
  void suppressedFailure_isTakenOnce() {
    cut.addSuppressed(failure);
    assertThat(take(cut)).isSameAs(failure);
    assertThat(take(cut)).isNull();
  }

  @Test
  void failureThatWasTaken_andIsCarriedAgainByAnother_isTakenAgain() {
    Cancellation other = new Cancellation("stop, too");
    cut.addSuppressed(failure);
    assertThat(take(cut)).isSameAs(failure);
    other.addSuppressed(failure);
    assertThat(take(other)).isSameAs(failure);
  }

  @Test
  void failure_thatIsAttachedAfterOneWasTaken_isTakenNext() {
    IllegalStateException second = new IllegalStateException("second");
    cut.addSuppressed(failure);
    assertThat(take(cut)).isSameAs(failure);
    cut.addSuppressed(second);
    assertThat(take(cut)).isSameAs(second);
  }

  @Test
  void severalFailures_areTakenAsOne_withTheOthersInItsReport() {
    IllegalStateException second = new IllegalStateException("second");
    cut.addSuppressed(failure);
    cut.addSuppressed(second);
    assertThat(take(cut)).isSameAs(failure);
    assertThat(FailureTable.mergedInto(failure)).containsExactly(second);
  }

  @Test
  void failure_ofACancellationThatIsSuppressed_isTaken() {
    Cancellation again = new Cancellation("again");
    again.addSuppressed(failure);
    cut.addSuppressed(again);
    assertThat(take(cut)).isSameAs(failure);
  }

  @Test
  void failure_inTheCauseOfAnInterrupt_isTaken() {
    InterruptedException interrupt = new InterruptedException();
    interrupt.addSuppressed(failure);
    assertThat(take(new IllegalStateException("a library's", interrupt))).isSameAs(failure);
  }

  @Test
  void causeOfACancellation_belongsToOthers() {
    Cancellation shared = new Cancellation("everybody");
    shared.addSuppressed(failure);
    assertThat(take(new Cancellation("me", shared))).isNull();
    assertThat(take(new Cancellation("me", failure))).isNull();
  }

  @Test
  void failure_thatIsSupersededByACancellation_isCarriedByIt() {
    CarriedFailures.carry(cut, failure);
    assertThat(FailureTable.mergedInto(cut)).containsExactly(failure);
    assertThat(take(cut)).isSameAs(failure);
  }

  @Test
  void cancellation_thatIsSuperseded_handsOverWhatItCarries() {
    Cancellation other = new Cancellation("outer");
    IllegalStateException thrown = new IllegalStateException("thrown");
    cut.addSuppressed(failure);
    CarriedFailures.transferTo(cut, other, Cancellation.class::isInstance);
    assertThat(other.getSuppressed()).containsExactly(failure);
    CarriedFailures.transferTo(other, thrown, Cancellation.class::isInstance);
    assertThat(FailureTable.mergedInto(thrown)).containsExactly(failure);
    assertThat(take(other)).isNull();
  }

  @Test
  void hostileGetCause_endsTheSearch() {
    RuntimeException hostile =
        new RuntimeException("hostile") {
          private static final long serialVersionUID = 1;

          @Override
          public synchronized Throwable getCause() {
            throw new IllegalStateException("getCause");
          }
        };
    hostile.addSuppressed(failure);
    assertThat(take(hostile)).isSameAs(failure);
    assertThat(List.of(hostile.getSuppressed())).containsExactly(failure);
  }
}
