// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A queue of work: its owner pushes and pops at the tail, thieves take from the head.
///
/// A thief claims its slot by moving the head, and reads the slot afterwards. The owner's push
/// takes the head for granted: it may overwrite the slot between the two.
final class StealingQueue {
  private final AtomicLong head = new AtomicLong();
  private final AtomicLong tail = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Item[] slots = new Item[2];

  /// Work that must be done once.
  private static final class Item {
    private final AtomicInteger done = new AtomicInteger();
  }

  private int index(long position) {
    return (int) (position & (slots.length - 1));
  }

  private @Nullable Item steal() {
    lock.lock();
    try {
      long claimed = head.get();
      head.set(claimed + 1);
      if (claimed < tail.get()) {
        return slots[index(claimed)];
      }
      head.set(claimed);
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void push(Item item) {
    long end = tail.get();
    if (end >= head.get() + slots.length) {
      grow();
      end = tail.get();
    }
    slots[index(end)] = item;
    tail.set(end + 1);
  }

  private void grow() {
    lock.lock();
    try {
      long from = head.get();
      int count = (int) (tail.get() - from);
      @Nullable Item[] larger = new Item[2 * slots.length];
      for (int i = 0; i < count; i++) {
        larger[i] = slots[index(from + i)];
      }
      slots = larger;
      head.set(0);
      tail.set(count);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Item pop() {
    long last = tail.get() - 1;
    tail.set(last);
    if (head.get() <= last) {
      return slots[index(last)];
    }
    tail.set(last + 1);
    return popAlone();
  }

  private @Nullable Item popAlone() {
    lock.lock();
    try {
      long last = tail.get() - 1;
      if (head.get() > last) {
        return null;
      }
      tail.set(last);
      return slots[index(last)];
    } finally {
      lock.unlock();
    }
  }

  /// One owner, one thief, four items: each must be done once.
  static final class Bug {
    private final StealingQueue queue = new StealingQueue();

    void run(Threads threads) throws InterruptedException {
      Item[] items = {new Item(), new Item(), new Item(), new Item()};
      Thread thief =
          threads.start(() -> {
            perform(queue.steal());
            perform(queue.steal());
          });
      for (int i = 0; i < items.length; i += 2) {
        queue.push(items[i]);
        queue.push(items[i + 1]);
        perform(queue.pop());
      }
      perform(queue.pop());
      perform(queue.pop());
      thief.join();
      for (Item item : items) {
        check(item.done.get() == 1, "an item was done " + item.done.get() + " times");
      }
    }

    private static void perform(@Nullable Item item) {
      if (item != null) {
        item.done.incrementAndGet();
      }
    }
  }
}
