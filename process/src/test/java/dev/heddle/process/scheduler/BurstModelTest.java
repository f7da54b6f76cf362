// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.scheduler.EventQueue.Push;
import dev.heddle.process.scheduler.Task.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random programs of senders with bursts, and of a consumer that takes, or looks, or turns from
/// one to the other: what each sender has sent comes in order and once, its signals behind the
/// messages that it has sent before them, and before those that it has sent later.
class BurstModelTest {
  private static final long SEED = Long.getLong("heddle.seed", 20_261_126);
  private static final int PROGRAMS = 4_000;
  private static final int STEPS = 150;
  private static final int SENDERS = 3;

  /// The `number`th message of a sender; or a signal that it has sent behind so many messages.
  private record Item(int id, int sender, int number, boolean isSignal) {}

  private static final class Items extends Node {
    final List<Item> items;

    Items(List<Item> items) {
      this.items = items;
    }
  }

  private static final class ItemBurst extends Burst {
    final List<Item> unseen;

    ItemBurst(Task to, EventQueue queue, int places, Item first, List<Item> unseen) {
      super(to, queue, places, first);
      this.unseen = unseen;
    }

    @Override
    protected Node node(@Nullable Object[] from, int first, int end) {
      List<Item> some = new ArrayList<>();
      for (int i = first; i < end; i++) {
        some.add((Item) Objects.requireNonNull(from[i]));
      }
      return new Items(some);
    }

    @Override
    protected void unseen(@Nullable Object item) {
      unseen.add((Item) Objects.requireNonNull(item));
    }
  }

  private static final class Program {
    private final Random random;
    private final EventQueue queue = new EventQueue(Integer.MAX_VALUE);
    private final Worker worker = WorkerThread.newScheduler("bursts", 1).workers()[0];
    private final Task to = new Probe(0, _ -> StepResult.IDLE, () -> {});
    private final @Nullable ItemBurst[] open = new ItemBurst[SENDERS];
    private final int[] sent = new int[SENDERS]; // messages
    private final int[] seen = new int[SENDERS];
    private final int[] lastSignal = new int[SENDERS];
    private int ids;
    private final List<Item> left = new ArrayList<>(); // looked at and left, since the last rewind
    private final List<Item> unseen = new ArrayList<>();
    private boolean looks;
    private int messages; // in the queue
    private int signals;

    Program(long seed) {
      random = new Random(seed);
      looks = random.nextBoolean();
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        switch (random.nextInt(8)) {
          case 0, 1, 2, 3 -> send(random.nextInt(SENDERS));
          case 4 -> sendSignal(random.nextInt(SENDERS));
          case 5 -> turns();
          default -> consume();
        }
        checkCounts();
      }
      end();
    }

    private void checkCounts() {
      int inBursts = 0;
      for (ItemBurst burst : open) {
        inBursts += burst == null ? 0 : burst.uncounted(to);
      }
      assertThat(queue.length(inBursts)).isEqualTo(messages);
      assertThat(queue.isEmpty()).isEqualTo(messages + signals == 0);
    }

    private Item next(int sender, boolean isSignal) {
      return new Item(++ids, sender, isSignal ? sent[sender] : sent[sender]++, isSignal);
    }

    private void send(int sender) {
      messages++;
      Item item = next(sender, false);
      ItemBurst burst = open[sender];
      if (burst != null && worker.add(burst, item)) {
        return;
      }
      endBurst(sender);
      if (random.nextInt(3) == 0) {
        assertThat(queue.push(new Items(List.of(item)))).isEqualTo(Push.ACCEPTED);
      } else {
        burst = new ItemBurst(to, queue, 1 + random.nextInt(12), item, unseen);
        assertThat(queue.push(burst)).isEqualTo(Push.ACCEPTED);
        burst.pushed();
        open[sender] = burst;
      }
    }

    private void sendSignal(int sender) {
      endBurst(sender);
      signals++;
      assertThat(queue.pushInOrder(new Items(List.of(next(sender, true)))))
          .isEqualTo(Push.ACCEPTED);
    }

    private void endBurst(int sender) {
      ItemBurst burst = open[sender];
      if (burst != null) {
        worker.runMounted(Thread.currentThread(), () -> worker.end(burst));
        open[sender] = null;
      }
    }

    private void turns() {
      looks = random.nextBoolean();
      queue.rewind();
      left.clear();
    }

    private void consume() {
      if (looks) {
        assertThat(queue.takeResults()).isNull(); // sorts the signals
        look();
      } else {
        left.clear();
        take(1 + random.nextInt(6));
      }
    }

    private void take(int most) {
      int found = 0;
      for (Node node = queue.take(most); node != null; node = EventQueue.after(node)) {
        for (Item item : ((Items) node).items) {
          sees(item);
          found++;
        }
      }
      assertThat(found).isLessThanOrEqualTo(most);
      if (messages + signals > 0) {
        assertThat(found).isPositive();
      }
    }

    private void look() {
      assertThat(queue.hasNews()).isEqualTo(messages + signals > left.size());
      Node node = queue.peekNext();
      if (node == null) {
        assertThat(left).hasSize(messages + signals);
        queue.rewind();
        left.clear();
        return;
      }
      assertThat(((Items) node).items).hasSize(1);
      Item item = ((Items) node).items.getFirst();
      assertThat(left).doesNotContain(item);
      // one that is left stands in front of all that its sender has sent later
      if (left.stream().anyMatch(other -> other.sender == item.sender) || random.nextInt(4) == 0) {
        queue.skip(node);
        left.add(item);
      } else {
        assertThat(queue.remove(node)).isTrue();
        queue.publish();
        sees(item);
      }
    }

    private void sees(Item item) {
      int sender = item.sender;
      if (item.isSignal) {
        assertThat(seen[sender]).as("before %s", item).isEqualTo(item.number);
        assertThat(lastSignal[sender]).as("before %s", item).isLessThan(item.id);
        lastSignal[sender] = item.id;
        signals--;
      } else {
        assertThat(item.number).as("of %s", item).isEqualTo(seen[sender]++);
        messages--;
      }
    }

    private void end() {
      for (Node node = queue.close(); node != null; node = EventQueue.after(node)) {
        if (node instanceof Burst burst) {
          burst.abandon();
        } else {
          unseen.addAll(((Items) node).items);
        }
      }
      for (int i = 0; i < SENDERS; i++) {
        ItemBurst burst = open[i];
        if (burst != null) {
          assertThat(worker.add(burst, next(i, false))).isFalse();
          endBurst(i);
        }
      }
      assertThat(unseen).hasSize(messages + signals).doesNotHaveDuplicates();
      assertThat(queue.length()).isZero();
    }
  }

  @Test
  @Tag("proc-285")
  @Tag("proc-287")
  @Tag("proc-288")
  @Tag("proc-230")
  void randomPrograms_ofBurstsSignalsTakesAndLooks_keepTheOrderOfEachSender() {
    for (long seed = SEED; seed < SEED + PROGRAMS; seed++) {
      try {
        new Program(seed).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("program of seed " + seed, e);
      }
    }
  }
}
