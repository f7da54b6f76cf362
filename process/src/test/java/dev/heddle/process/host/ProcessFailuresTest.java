// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.Pid;
import dev.heddle.process.host.ProcessFailures.Noted;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What observers are told of failures whose own texts hang, and of which come late.
@Tag("watch-4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessFailuresTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // a clock may overflow
  private final AtomicReference<Runnable> beforeTheClockIsRead = new AtomicReference<>(() -> {});
  private final AtomicReference<Runnable> beforeText = new AtomicReference<>(() -> {});
  private final ProcessFailures failures =
      new ProcessFailures(this::now, () -> beforeText.getAndSet(() -> {}).run());
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private long number;

  private long now() {
    beforeTheClockIsRead.getAndSet(() -> {}).run();
    return now.get();
  }

  /// One whose text says when it is asked for, and waits.
  @SuppressWarnings("serial") // never is
  private static final class Hanging extends RuntimeException {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch goesOn;

    Hanging(CountDownLatch goesOn) {
      this.goesOn = goesOn;
    }

    @Override
    public String getMessage() {
      asked.countDown();
      awaitQuietly(goesOn);
      return "said at last";
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void end() {
    goesOn.countDown();
  }

  private static Noted noted(long number, Throwable cause) {
    return new Noted(number, 0, new Pid("", "host", number, 1), "kind-" + number, cause);
  }

  private void note(Throwable cause) {
    failures.note(noted(number++, cause));
  }

  private List<String> texts() {
    return failures.recent().stream().map(ProcessFailures.Failure::text).toList();
  }

  private void awaitText(String words) {
    while (texts().stream().noneMatch(text -> text.contains(words))) {
      Thread.onSpinWait();
    }
  }

  private void hang() {
    hang(goesOn);
  }

  private void hang(CountDownLatch until) {
    Hanging hanging = new Hanging(until);
    note(hanging);
    while (hanging.asked.getCount() > 0) {
      failures.write(); // again: a writer that is about to end may not see it
    }
  }

  /// All later ones never had a text.
  @Test
  void textThatHangs_isSaidToTakeTooLong_andTheNextOnesAreMade() {
    hang();
    note(new IllegalStateException("the next one"));
    now.addAndGet(ProcessFailures.PATIENCE_NANOS - 1);
    assertThat(texts()).as("within its time").isEmpty();
    now.addAndGet(1);
    awaitText("the next one");
    assertThat(texts())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("process ")
        .contains("(kind-0)", "Hanging that says no more: its own text takes too long");
    goesOn.countDown();
    awaitText("said at last");
    assertThat(failures.written()).isEqualTo(3);
  }

  /// Nobody looked after the next one: another writer had the place of its own.
  @Test
  void textThatComesAsItIsGivenUp_isNotGivenUp_norIsTheNextOneForgotten() {
    CountDownLatch first = new CountDownLatch(1);
    hang(first);
    Hanging next = new Hanging(goesOn);
    note(next);
    now.addAndGet(ProcessFailures.PATIENCE_NANOS);
    beforeTheClockIsRead.set(() -> {
      first.countDown();
      awaitQuietly(next.asked);
      now.addAndGet(ProcessFailures.PATIENCE_NANOS); // or the first one would not be too late
    });
    failures.write();
    now.addAndGet(ProcessFailures.PATIENCE_NANOS);
    assertThat(texts())
        .satisfiesExactly(
            latest -> assertThat(latest).contains("(kind-1)", "its own text takes too long"),
            before -> assertThat(before).contains("(kind-0)", "said at last"));
  }

  /// It was said never.
  @Test
  void textThatHangs_isSaidToTakeTooLong_alsoIfThereIsNoMemoryAtFirst() {
    hang();
    note(new IllegalStateException("the next one"));
    now.addAndGet(ProcessFailures.PATIENCE_NANOS);
    OutOfMemoryError none = new OutOfMemoryError("made up");
    beforeText.set(() -> {
      throw none;
    });
    assertThatThrownBy(failures::recent).isSameAs(none);
    awaitText("the next one");
    assertThat(texts()).hasSize(2).last().asString().contains("(kind-0)", "takes too long");
  }

  /// Each of them has a thread.
  @Test
  void whereEightTextsHang_theNextAreNotAskedFor_untilOneHasCome() {
    for (int i = 0; i < 8; i++) {
      hang();
      now.addAndGet(ProcessFailures.PATIENCE_NANOS);
      failures.write();
    }
    note(new Hanging(goesOn));
    awaitText("(kind-8)");
    assertThat(texts().getFirst()).contains("is not asked for");
    goesOn.countDown();
    while (texts().stream().noneMatch(text -> text.contains("asked for again"))) {
      note(new IllegalStateException("asked for again"));
    }
  }

  /// A worker that was interrupted between counting and noting.
  @Test
  void failureThatIsNotedLate_doesNotTakeThePlaceOfALaterOne() {
    failures.note(noted(8, new IllegalStateException("the later one")));
    failures.note(noted(0, new IllegalStateException("the one before")));
    awaitText("the later one");
    assertThat(texts()).hasSize(1);
  }
}
