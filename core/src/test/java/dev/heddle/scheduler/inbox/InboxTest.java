// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What one thread can see of the inbox, and a long run of many producers; the interleavings are
/// proved in the module `evidence`.
@Tag("T1")
@Tag("once")
class InboxTest {
  private final AtomicInteger rings = new AtomicInteger();
  private final Wakeup wakeup = new Wakeup(rings::incrementAndGet);
  private final Inbox inbox = new Inbox(wakeup);
  private final List<String> arrived = new ArrayList<>();

  private final class Letter extends Inbox.Node {
    private final String text;

    Letter(String text) {
      this.text = text;
    }

    @Override
    public void onArrival() {
      clearPosted();
      arrived.add(text);
    }
  }

  @Test
  void drain_ofSeveralPosts_arrivesOldestFirst() {
    for (String text : List.of("a", "b", "c")) {
      assertThat(inbox.post(new Letter(text))).isTrue();
    }
    inbox.drain();
    assertThat(arrived).containsExactly("a", "b", "c");
    assertThat(inbox.isEmpty()).isTrue();
  }

  @Test
  @Tag("trap-39")
  void drain_whileAProducerIsHeldUpBeforeItPublishes_doesNotWaitForIt() {
    Letter heldUp = new Letter("held up");
    assertThat(heldUp.claim()).isTrue(); // the first of a post's two steps
    inbox.drain();
    assertThat(arrived).isEmpty();
    inbox.post(new Letter("other"));
    inbox.drain();
    assertThat(arrived).containsExactly("other");
  }

  @Test
  void post_ofANodeThatIsInAlready_arrivesOnce() {
    Letter letter = new Letter("a");
    assertThat(inbox.post(letter)).isTrue();
    assertThat(inbox.post(letter)).isTrue();
    inbox.drain();
    assertThat(arrived).containsExactly("a");
  }

  @Test
  void post_afterTheFlagWasCleared_arrivesAgain() {
    Letter letter = new Letter("a");
    inbox.post(letter);
    inbox.drain();
    inbox.post(letter);
    inbox.drain();
    assertThat(arrived).containsExactly("a", "a");
  }

  @Test
  void post_duringAnArrival_arrivesAtTheNextDrain() {
    Letter second = new Letter("second");
    inbox.post(
        new Inbox.Node() {
          @Override
          public void onArrival() {
            inbox.post(second);
          }
        });
    inbox.drain();
    assertThat(arrived).isEmpty();
    inbox.drain();
    assertThat(arrived).containsExactly("second");
  }

  @Test
  @Tag("trap-38")
  void post_afterTheBoxWasClosed_isRefused() {
    inbox.close();
    Letter letter = new Letter("a");
    assertThat(inbox.post(letter)).isFalse();
    assertThat(inbox.post(letter)).isFalse();
    assertThat(arrived).isEmpty();
  }

  @Test
  @Tag("trap-38")
  void drain_afterTheClose_leavesTheBoxClosed() {
    inbox.close();
    inbox.drain();
    assertThat(inbox.post(new Letter("a"))).isFalse();
  }

  @Test
  void close_ofABoxThatIsNotEmpty_letsArriveWhatCameBefore() {
    inbox.post(new Letter("a"));
    inbox.close();
    assertThat(arrived).containsExactly("a");
  }

  @Test
  void post_ofANodeFromBeforeTheClose_isRefused() {
    Letter letter = new Letter("a");
    inbox.post(letter);
    inbox.close();
    assertThat(inbox.post(letter)).isFalse();
  }

  @Test
  @Tag("T15")
  void post_whileTheCarrierSleeps_ringsOnce() {
    wakeup.beforeSleep();
    inbox.post(new Letter("a"));
    inbox.post(new Letter("b"));
    assertThat(rings).hasValue(1);
  }

  @Test
  @Tag("trap-38")
  void post_inALoop_allocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Letter letter = new Letter("a");
    Runnable tenThousand =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            inbox.post(letter);
            letter.clearPosted();
          }
        };
    tenThousand.run();
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) { // the compiler may come in between
      long before = threads.getCurrentThreadAllocatedBytes();
      tenThousand.run();
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
    }
    // one byte a post would be ten thousand
    assertThat(allocated).isLessThan(10_000);
  }

  @Test
  void manyProducers_eachWithItsOwnNodes_loseNothingAndKeepTheirOrder() throws Exception {
    int producers = 4;
    int posts = 20_000;
    int[] last = new int[producers];
    int[] total = new int[1];
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      int producer = p;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 1; i <= posts; i++) {
                  inbox.post(new Numbered(last, total, producer, i));
                }
              }));
    }
    while (total[0] < producers * posts) {
      inbox.drain();
      Thread.onSpinWait();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(last).containsOnly(posts);
    assertThat(inbox.isEmpty()).isTrue();
  }

  private static final class Numbered extends Inbox.Node {
    private final int[] last;
    private final int[] total;
    private final int producer;
    private final int number;

    Numbered(int[] last, int[] total, int producer, int number) {
      this.last = last;
      this.total = total;
      this.producer = producer;
      this.number = number;
    }

    @Override
    public void onArrival() {
      if (last[producer] != number - 1) {
        throw new AssertionError(
            "producer %d: %d arrived after %d".formatted(producer, number, last[producer]));
      }
      last[producer] = number;
      total[0]++;
    }
  }
}
