// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.Commands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;

/// Threads, steps and bodies send to few receivers, whose mailboxes refuse what is too much; half
/// of them by addresses that were read from text.
///
/// *Invariant*: what was accepted arrives, once, in the order of its sender.
final class Streams extends World {
  private static final int RECEIVERS = 3;
  private static final int SENDERS = 12;
  private static final int BURST = 20;
  private static final long ENOUGH = 100_000; // messages

  private final Pid[] receivers = new Pid[RECEIVERS];
  private final List<Pid> senders = new ArrayList<>();

  // of each sender to each receiver: the last number
  private final AtomicLongArray sent = new AtomicLongArray(RECEIVERS * SENDERS);
  private final AtomicLongArray received = new AtomicLongArray(RECEIVERS * SENDERS);

  private record Item(int from, long number) {}

  Streams(Round round) {
    super(round, "streams", ENOUGH);
  }

  @Override
  void begin() {
    for (int i = 0; i < RECEIVERS; i++) {
      Process receiver = i == RECEIVERS - 1 ? body(i) : step(i);
      receivers[i] =
          spawn(
              receiver, StartOptions.defaults().withMailbox(200 + 1_000 * i, MailboxPolicy.REJECT));
    }
    for (int i = 0; i < SENDERS; i++) {
      int from = i;
      Random random = random();
      switch (i % 3) {
        case 0 -> thread(() -> sendOnThread(from, random));
        case 1 -> senders.add(spawn(stepThatSends(from, random), options(random)));
        default -> senders.add(spawn(bodyThatSends(from, random)));
      }
    }
  }

  // ---- receivers ----

  private Process step(int to) {
    return Actor.of((_, events, _) -> {
      for (ProcessEvent event : events) {
        take(to, (Item) event.data());
      }
    });
  }

  private Process body(int to) {
    Random random = random();
    return CoroutineProcess.of(self -> {
      while (true) {
        take(to, random.nextBoolean() ? (Item) self.receive() : self.receive(Item.class));
      }
    });
  }

  private void take(int to, Item item) {
    int at = to * SENDERS + item.from;
    long before = received.get(at);
    check(item.number == before + 1, () -> item + " comes behind number " + before);
    received.set(at, item.number);
    did();
  }

  // ---- senders ----

  private void burst(int from, Random random) {
    int to = random.nextInt(RECEIVERS);
    int at = to * SENDERS + from;
    Pid pid = from % 2 == 0 ? receivers[to] : Pid.parse(receivers[to].toString());
    for (int i = 0; i < BURST; i++) {
      if (runtime().offer(pid, new Item(from, sent.get(at) + 1)) != SendResult.ACCEPTED) {
        return;
      }
      sent.incrementAndGet(at);
    }
  }

  private void sendOnThread(int from, Random random) throws InterruptedException {
    while (goesOn()) {
      burst(from, random);
      Thread.sleep(1);
    }
  }

  private Process stepThatSends(int from, Random random) {
    return Actor.of((_, _, out) -> {
      burst(from, random);
      if (!goesOn()) {
        out.done();
      } else if (random.nextInt(3) == 0) {
        out.continueNow();
      } else {
        Duration time = Duration.ofNanos(random.nextInt(2_000_000));
        out.execute(System.nanoTime(), Commands.sleep(time));
      }
    });
  }

  private Process bodyThatSends(int from, Random random) {
    return CoroutineProcess.of(self -> {
      while (goesOn()) {
        burst(from, random);
        switch (random.nextInt(3)) {
          case 0 -> self.sleep(Duration.ofNanos(100_000));
          case 1 -> Thread.yield();
          default -> Thread.sleep(0, 50_000);
        }
      }
      return null;
    });
  }

  @Override
  void end() throws InterruptedException {
    awaitThreads();
    for (Pid sender : senders) {
      awaitExit(sender);
    }
    await("what was sent: " + sent + " arrived: " + received, () -> {
      for (int i = 0; i < sent.length(); i++) {
        if (received.get(i) != sent.get(i)) {
          return false;
        }
      }
      return true;
    });
    for (Pid receiver : receivers) {
      terminate(receiver);
    }
  }
}
