// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.FailureReport;
import dev.heddle.failure.FailureTable.Origin;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is known beside a throwable, how long, and that it costs the throwable nothing.
class FailureTableTest {
  private record Place(String coroutine, String spawnSite, List<String> spawnedBy)
      implements Origin {}

  private static final Place HERE = new Place("coroutine-7", "Here.java:1", List.of("main"));

  private static FailureReport known(Throwable failure) {
    FailureReport report = FailureTable.reportOf(failure);
    assertThat(report).isNotNull();
    return report;
  }

  @Test
  void throwable_thatWasNotRecorded_hasNoReport() {
    assertThat(FailureTable.reportOf(new IllegalStateException())).isNull();
  }

  @Test
  void origin_isTheFirstOneNoted() {
    Throwable failure = new IllegalStateException();
    FailureTable.cameFrom(failure, () -> HERE);
    FailureTable.cameFrom(failure, () -> new Place("coroutine-8", "There.java:2", List.of()));
    assertThat(known(failure))
        .isEqualTo(new FailureReport("coroutine-7", "Here.java:1", List.of("main"), List.of()));
    assertThat(known(failure).trace())
        .isEqualTo("in coroutine-7 spawned at Here.java:1\n  by main");
  }

  @Test
  @Tag("trap-65")
  void failuresThatWereSuperseded_areListedOnceEachAndNeverTheirOwn() {
    Throwable kept = new IllegalStateException("kept");
    Throwable first = new IllegalStateException("first");
    Throwable second = new IllegalStateException("second");
    FailureTable.merge(kept, first);
    FailureTable.merge(kept, second);
    FailureTable.merge(kept, first);
    FailureTable.merge(kept, kept);
    assertThat(known(kept).merged()).containsExactly(first, second);
    assertThat(kept.getSuppressed()).isEmpty();
  }

  @Test
  @Timeout(60) // 11 s for 40,000 where the list is copied each time
  void failuresThatWereSuperseded_byTheHundredThousands_areAllListedInOrder() {
    Throwable kept = new IllegalStateException("kept");
    List<Throwable> gaveWay = new ArrayList<>();
    for (int i = 0; i < 300_000; i++) {
      gaveWay.add(new Numbered(i));
    }
    gaveWay.forEach(failure -> FailureTable.merge(kept, failure));
    assertThat(known(kept).merged().equals(gaveWay)).isTrue();
  }

  @Test
  void failureThatWasSupersededAgainAndAgain_isListedOnce() {
    Throwable kept = new IllegalStateException("kept");
    Throwable first = new IllegalStateException("first");
    Throwable second = new IllegalStateException("second");
    for (int i = 0; i < 1_000; i++) {
      FailureTable.merge(kept, first);
      FailureTable.merge(kept, second);
    }
    assertThat(known(kept).merged()).containsExactly(first, second);
  }

  @Test
  void behind_isAllThatWereSupersededOnTheWay_butNoCancellation() {
    Throwable last = new IllegalStateException("last");
    Throwable middle = new IllegalStateException("middle");
    Throwable first = new IllegalStateException("first");
    FailureTable.merge(last, middle);
    FailureTable.merge(middle, first);
    FailureTable.merge(middle, new Cancellation("no failure"));
    FailureTable.merge(first, last); // a circle
    assertThat(FailureTable.allMergedInto(last)).containsExactly(middle, first);
  }

  @Test
  void behindAnAttached_isWhatItsTraceDoesNotShow_eachOnce() {
    Throwable cause = new IllegalStateException("cause");
    Throwable top = new IllegalStateException("top", cause);
    Throwable attached = new IllegalStateException("attached");
    Throwable known = new IllegalStateException("behind the top");
    Throwable behindCause = new IllegalStateException("behind the cause");
    Throwable behindAttached = new IllegalStateException("behind the attached", top); // a circle
    top.addSuppressed(attached);
    FailureTable.merge(top, known);
    FailureTable.merge(cause, behindCause);
    FailureTable.merge(cause, known);
    FailureTable.merge(attached, behindAttached);
    FailureTable.merge(behindCause, new Cancellation("no failure"));
    assertThat(FailureTable.mergedIntoAttached(top))
        .containsExactlyInAnyOrder(behindCause, behindAttached);
  }

  private static final class EndlessCause extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      return new EndlessCause();
    }
  }

  @Test
  void causesWithoutEnd_areReadForAWhileOnly() {
    assertThat(FailureTable.mergedIntoAttached(new EndlessCause())).isEmpty();
  }

  private static final class Numbered extends RuntimeException {
    private static final long serialVersionUID = 1;

    Numbered(int number) {
      super("number " + number, null, false, false);
    }
  }

  @SuppressWarnings("ThrowableEqualsHashCode") // what a user's exception may do
  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public int hashCode() {
      throw new IllegalStateException("hashCode");
    }

    @Override
    public boolean equals(Object other) {
      throw new IllegalStateException("equals");
    }
  }

  @Test
  void throwables_areToldApartByIdentityAlone() {
    Hostile one = new Hostile();
    Hostile other = new Hostile();
    FailureTable.merge(one, other);
    assertThat(known(one).merged().getFirst() == other).isTrue();
    assertThat(FailureTable.reportOf(other)).isNull();
  }

  private static WeakReference<Throwable> keptByItsOwnSuccessor() {
    Throwable kept = new IllegalStateException("kept");
    FailureTable.merge(kept, new IllegalStateException("caused by it", kept));
    return new WeakReference<>(kept);
  }

  @Test
  void throwable_thatIsTheCauseOfOneThatWasSuperseded_isForgottenInTime() {
    WeakReference<Throwable> kept = keptByItsOwnSuccessor();
    for (int i = 0; i < 256; i++) {
      FailureTable.merge(new IllegalStateException(), new IllegalStateException());
    }
    // safe: System.gc() of the collectors in use is a full collection
    System.gc();
    assertThat(kept.refersTo(null)).isTrue();
  }

  @Test
  void reports_ofThousandsOfThrowables_areAllFound() {
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Throwable failure = new IllegalStateException();
      String number = "coroutine-" + i;
      FailureTable.cameFrom(failure, () -> new Place(number, "site", List.of()));
      if (i % 2 == 0) {
        failures.add(failure);
      } else if (i % 5_000 == 1) {
        System.gc(); // the chains lose their dead links as they grow
      }
    }
    for (int i = 0; i < failures.size(); i++) {
      assertThat(known(failures.get(i)).coroutine()).isEqualTo("coroutine-" + 2 * i);
    }
  }

  @Test
  void notesOfSeveralThreads_aboutTheSameThrowables_areAllKept() throws InterruptedException {
    List<Throwable> shared = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      shared.add(new IllegalStateException());
    }
    int threads = 4;
    CountDownLatch ready = new CountDownLatch(threads);
    List<Throwable> gaveWay = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      Throwable mine = new IllegalStateException("of thread " + t);
      gaveWay.add(mine);
      running.add(
          Thread.ofPlatform()
              .start(() -> {
                ready.countDown();
                awaitAll(ready);
                shared.forEach(failure -> FailureTable.merge(failure, mine));
              }));
    }
    for (Thread thread : running) {
      thread.join();
    }
    for (Throwable failure : shared) {
      assertThat(known(failure).merged()).containsExactlyInAnyOrderElementsOf(gaveWay);
    }
  }

  private static void awaitAll(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
