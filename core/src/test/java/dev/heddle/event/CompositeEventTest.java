// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.source.CompositeEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Events made of several.
@Timeout(300)
class CompositeEventTest {
  private static final Duration LONG = Duration.ofHours(1);

  private static Event soon() {
    return Heddle.timer(Duration.ofMillis(1));
  }

  private static Event late() {
    return Heddle.timer(LONG);
  }

  @Test
  void anyOf_firesWithTheFirstAndDisarmsTheOthers() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Event any = Event.anyOf(late(), promise.future(), late());
      Heddle.launch("completes", () -> promise.complete("value"));
      assertThat(Heddle.<Object>await(any)).isEqualTo("value");
      assertThat(Heddle.counters().timers()).isZero();
      long switches = Heddle.counters().switches();
      assertThat(Heddle.<Object>await(any)).isEqualTo("value");
      assertThat(Heddle.counters().switches()).isEqualTo(switches);
    });
  }

  @Test
  void anyOf_whichFails_throwsThat() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      promise.fail(failure);
      assertThatThrownBy(() -> Heddle.await(Event.anyOf(late(), promise.future())))
          .isSameAs(failure);
    });
  }

  @Test
  void anyOf_repeatingEvents_firesAgain() {
    Heddle.run(() -> {
      Trigger a = Heddle.trigger("a");
      Trigger b = Heddle.trigger("b");
      Event any = Event.anyOf(a, b);
      for (Trigger next : List.of(a, b, a)) {
        Heddle.launch("puller", next::fire);
        Heddle.await(any);
        assertThat(any.isClosed()).isFalse();
      }
    });
  }

  @Test
  void anyOf_asAToken_endsAWait() {
    Heddle.run(() -> {
      Future<Object> never = Heddle.promise().future();
      assertThatThrownBy(() -> never.await(Event.anyOf(late(), soon())))
          .isInstanceOf(WaitCancelledException.class);
    });
  }

  @Test
  void allOf_firesWhenEachHasFired() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Event all = Event.allOf(promise.future(), soon(), promise.future());
      assertThatThrownBy(() -> Heddle.await(all, Deadline.after(Duration.ofMillis(3))))
          .hasMessageContaining("deadline");
      promise.complete("value");
      Heddle.await(all);
      assertThat(all.isClosed()).isTrue();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void allOf_withAFailure_waitsForAllAndThrowsTheFirst() {
    IllegalStateException failure = new IllegalStateException("x");
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      Promise<String> bad = Heddle.promise();
      Promise<String> good = Heddle.promise();
      bad.fail(failure);
      Heddle.launch(
          "completes",
          () -> {
            log.add("completes");
            good.complete("value");
          });
      assertThatThrownBy(() -> Heddle.await(Event.allOf(bad.future(), good.future())))
          .isSameAs(failure);
    });
    assertThat(log).containsExactly("completes");
  }

  @Test
  void noParts_areRefused() {
    assertThatThrownBy(CompositeEvent::anyOf).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(CompositeEvent::allOf).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void partsOfAnotherLoop_areRefused() {
    Event[] foreign = new Event[1];
    Heddle.run(() -> {
      foreign[0] = late();
    });
    Heddle.run(() ->
        assertThatThrownBy(() -> Event.anyOf(late(), foreign[0]))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("another loop"));
  }

  @Test
  void info_namesThePartsButNotThousands() {
    Heddle.run(() -> {
      Awaitable<?>[] many = new Awaitable<?>[1_000];
      for (int i = 0; i < many.length; i++) {
        many[i] = Heddle.trigger("t" + i);
      }
      assertThat(Event.anyOf(many).info()).contains("'t0'", "...").doesNotContain("'t9'");
    });
  }

  @Test
  void allOf_whereSeveralFail_losesNone() {
    IllegalStateException first = new IllegalStateException("first");
    IllegalStateException second = new IllegalStateException("second");
    Heddle.run(() -> {
      Event all = Event.allOf(failed(new Cancellation("c")), failed(first), failed(second));
      assertThatThrownBy(() -> Heddle.await(all)).isSameAs(first);
    });
    assertThat(merged(first)).containsExactly(second);
  }

  @Test
  void allOf_cutAfterAFailure_hasItInTheReportOfWhatCutIt() {
    IllegalStateException failure = new IllegalStateException("x");
    Heddle.run(() -> {
      Event all = Event.anyOf(Event.allOf(failed(failure), late()));
      Throwable cut = catchThrowable(() -> Heddle.await(all, Deadline.after(Duration.ofMillis(1))));
      assertThat(cut).isInstanceOf(DeadlineException.class);
      assertThat(merged(cut)).containsExactly(failure);
    });
  }

  private static Awaitable<?> failed(Throwable failure) {
    Promise<String> promise = Heddle.promise();
    promise.fail(failure);
    return promise.future();
  }

  private static List<Throwable> merged(Throwable kept) {
    FailureReport report = Heddle.reportOf(kept);
    return report == null ? List.of() : report.merged();
  }

  @Test
  void anyOf_whoseTriggersArePulledTogether_takesTheOneThatWoke() {
    Heddle.run(() -> {
      Trigger a = Heddle.trigger("a");
      Trigger b = Heddle.trigger("b");
      Heddle.launch(
          "puller",
          () -> {
            a.fire();
            b.fire();
          });
      Heddle.await(Event.anyOf(a, b));
      assertThat(a.event().isClosed()).isFalse();
      assertThat(b.event().isClosed()).isTrue();
    });
  }
}
