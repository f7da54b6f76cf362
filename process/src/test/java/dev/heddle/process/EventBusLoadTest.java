// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.EventBus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Events that several threads publish, while subscribers come and go.
@Timeout(300)
class EventBusLoadTest extends CoroutineFixture {
  private static final StartOptions NO_BOUND =
      StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT);
  private static final int PUBLISHERS = 2;
  private static final int EVENTS = 20_000; // of each publisher
  private static final int ENDS = 300; // of ten subscribers each time

  private final EventBus events = runtime.events();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  private record Numbered(int publisher, int number) {}

  private Thread thread(Runnable what) {
    Thread made = Thread.ofPlatform().unstarted(what);
    made.setUncaughtExceptionHandler((_, thrown) -> failures.add(thrown));
    made.start();
    return made;
  }

  private void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
  }

  // ---- events of several publishers ----

  /// A process that checks the numbers of each publisher.
  ///
  /// @return completes when it has seen all, or fails with the first that is out of its turn
  private CompletableFuture<String> checker() {
    CompletableFuture<String> outcome = new CompletableFuture<>();
    int[] next = new int[PUBLISHERS];
    Pid checker =
        runtime.spawn(
            (all, _) -> {
              for (ProcessEvent event : all) {
                Numbered it = (Numbered) event.data();
                if (it.number() != next[it.publisher()]++) {
                  outcome.complete(it + " came in place of number " + (next[it.publisher()] - 1));
                }
              }
              if (IntStream.of(next).allMatch(n -> n == EVENTS)) {
                outcome.complete("all, in order");
              }
            },
            NO_BOUND);
    events.subscribe(Numbered.class, checker);
    return outcome;
  }

  @Test
  @Tag("proc-334")
  void events_ofTwoThreads_reachEachSubscriberWithRoom_onceAndInTheOrderOfTheirPublisher()
      throws Exception {
    List<CompletableFuture<String>> checkers = List.of(checker(), checker());
    join(
        IntStream.range(0, PUBLISHERS)
            .mapToObj(publisher ->
                thread(() -> {
                  for (int i = 0; i < EVENTS; i++) {
                    assertThat(events.publish(new Numbered(publisher, i))).isEqualTo(2);
                  }
                }))
            .toList());
    for (CompletableFuture<String> checker : checkers) {
      assertThat(Kit.get(checker)).isEqualTo("all, in order");
    }
    assertThat(events.dropped()).isZero();
  }

  // ---- subscribers that end ----

  private static Process endsWithTheFirstLetter() {
    return (all, out) -> {
      if (!all.isEmpty()) {
        out.done();
      }
    };
  }

  @Test
  @Tag("proc-333")
  void subscribersThatEnd_whileLettersArePublished_breedNone_andHarmNoOther() throws Exception {
    AtomicInteger read = new AtomicInteger();
    CompletableFuture<Object> outOfTurn = new CompletableFuture<>();
    Pid reader =
        runtime.spawn(
            (batch, _) -> {
              for (ProcessEvent event : batch) {
                if (!((DeadLetter) event.data()).message().equals(read.getAndIncrement())) {
                  outOfTurn.complete(event.data());
                }
              }
            },
            NO_BOUND);
    events.subscribe(DeadLetter.class, reader);
    AtomicBoolean over = new AtomicBoolean();
    Thread publisher = thread(() -> publishLettersInTimeWith(read, over));
    for (int i = 0; i < ENDS; i++) {
      List<Pid> some = new ArrayList<>();
      for (int k = 0; k < 10; k++) {
        Pid ender = runtime.spawn(endsWithTheFirstLetter());
        assertThat(events.subscribe(DeadLetter.class, ender)).isTrue();
        some.add(ender);
      }
      for (Pid ender : some) {
        assertThat(Kit.exit(runtime, ender).reason()).isEqualTo(Exit.Reason.NORMAL);
      }
    }
    over.set(true);
    join(List.of(publisher));
    assertThat(outOfTurn).isNotDone();
    events.unsubscribe(DeadLetter.class, reader);
    while (events.hasSubscribers(
        DeadLetter.class)) { // what ends a subscription is told with the exit
      Thread.onSpinWait();
    }
  }

  /// Publishes letters with the numbers from 0, no more than some hundreds ahead of their reader,
  /// and returns when all are read.
  private void publishLettersInTimeWith(AtomicInteger read, AtomicBoolean over) {
    int made = 0;
    while (!over.get()) {
      if (made - read.get() < 500) {
        runtime.offer("nobody", made++);
      } else {
        Thread.onSpinWait();
      }
    }
    while (read.get() < made) {
      Thread.onSpinWait();
    }
  }
}
