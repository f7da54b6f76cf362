// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.simulated.program.Threads;
import dev.heddle.thread.ThreadChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A channel between coroutines and threads, whose waits end by deadlines, cancellations,
/// interrupts and the close of the channel.
///
/// An item whose send has returned is received once, or is left over. An item whose send has thrown
/// is not received.
final class ThreadChannels {
  private static final int STEPS = 8;

  private final Random random = new Random();
  private final ThreadChannel<Integer> channel = ThreadChannel.of(1 + random.nextInt(3));
  private final Queue<Integer> sent = new ConcurrentLinkedQueue<>();
  private final Queue<Integer> refused = new ConcurrentLinkedQueue<>();
  private final Queue<Integer> received = new ConcurrentLinkedQueue<>();
  private final List<Thread> started = new ArrayList<>();
  private final List<Coroutine<?>> spawned = new ArrayList<>();
  private int numbers; // of the items of one user, from its own hundred on

  private ThreadChannels() {}

  /// A row of [OwnParts].
  static void run(Threads threads) {
    new ThreadChannels().play(threads);
  }

  private void play(Threads threads) {
    int users = 2 + random.nextInt(4);
    Heddle.supervise(() -> {
      for (int user = 0; user < users; user++) {
        User one = new User(numbers += 100, new Random(random.nextLong()));
        if (random.nextBoolean()) {
          started.add(threads.start(one::live));
        } else {
          spawned.add(Heddle.spawn(one::live));
        }
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        Heddle.delay(Duration.ofNanos(1 + random.nextInt(2_000)));
        disturb();
      }
      Heddle.delay(Duration.ofMillis(1)); // whoever waits without a limit does so now
      channel.close();
      for (Thread thread : started) {
        thread.join();
      }
    });
    List<Integer> left = new ArrayList<>();
    channel.cancel(left::add);
    verify(left);
  }

  private void disturb() {
    if (random.nextBoolean() && !spawned.isEmpty()) {
      spawned.get(random.nextInt(spawned.size())).cancel("by the program");
    } else if (!started.isEmpty()) {
      started.get(random.nextInt(started.size())).interrupt();
    }
  }

  private void verify(List<Integer> left) {
    List<Integer> arrived = new ArrayList<>(received);
    arrived.addAll(left);
    Set<Integer> once = new TreeSet<>(arrived);
    check(once.size() == arrived.size(), "received twice: " + arrived);
    check(once.containsAll(sent), "lost: sent " + sent + ", arrived " + arrived);
    refused.forEach(item -> check(!once.contains(item), "refused, and received: " + item));
    check(channel.info().contains(" 0 sending, 0 receiving"), "waits: " + channel.info());
  }

  /// A coroutine or a thread.
  private final class User {
    private final Random chance;
    private int next;

    private User(int first, Random chance) {
      this.next = first;
      this.chance = chance;
    }

    private void live() {
      for (int step = 0; step < STEPS; step++) {
        try {
          act();
        } catch (DeadlineException | WaitCancelledException _) {
          // it goes on
        } catch (ChannelClosedException | Cancellation _) {
          return;
        }
      }
    }

    private Deadline soon() {
      return chance.nextInt(3) == 0
          ? Deadline.never()
          : Deadline.after(Duration.ofNanos(1 + chance.nextInt(1_000)));
    }

    private void act() {
      switch (chance.nextInt(6)) {
        case 0, 1 -> {
          int item = next++;
          boolean done = false;
          try {
            channel.send(item, soon());
            done = true;
          } finally {
            (done ? sent : refused).add(item);
          }
        }
        case 2 -> {
          int item = next++;
          boolean done = false;
          try {
            done = channel.trySend(item);
          } finally {
            (done ? sent : refused).add(item);
          }
        }
        case 3 -> {
          Integer item = channel.tryReceive();
          if (item != null) {
            received.add(item);
          }
        }
        default -> received.add(channel.receive(soon()));
      }
    }
  }
}
