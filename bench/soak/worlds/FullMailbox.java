// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.StartOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// Bodies wait for room in a mailbox of three. One of them is killed every few milliseconds, and
/// another takes its place.
///
/// *Invariant*: a message whose `send` has returned arrives, once, in the order of its sender; of
/// one whose sender was killed in `send` it may, and nothing else does. Nobody waits for ever.
final class FullMailbox extends World {
  private static final int ROOM = 3;
  private static final int SENDERS = 12;
  private static final int PAUSE_MILLIS = 3; // between two murders, at most
  private static final long ENOUGH = 20_000; // messages

  private final Set<Pid> senders = ConcurrentHashMap.newKeySet();
  private final AtomicLong born = new AtomicLong();
  private final LongAdder returned = new LongAdder();
  private final LongAdder cut = new LongAdder();
  private Pid receiver;

  private record Item(long from, long number) {}

  FullMailbox(Round round) {
    super(round, "full mailbox", ENOUGH);
  }

  @Override
  void begin() {
    receiver =
        spawn(receiver(), StartOptions.defaults().withMailbox(ROOM, MailboxPolicy.SUSPEND));
    for (int i = 0; i < SENDERS; i++) {
      add();
    }
    thread(this::kill);
  }

  private Process receiver() {
    Map<Long, Long> last = new HashMap<>();
    return Actor.of((_, events, _) -> {
      for (ProcessEvent event : events) {
        Item item = (Item) event.data();
        long before = last.getOrDefault(item.from, 0L);
        check(item.number == before + 1, () -> item + " comes behind number " + before);
        last.put(item.from, item.number);
        did();
      }
    });
  }

  private void add() {
    long from = born.incrementAndGet();
    Pid sender = spawn(CoroutineProcess.of(self -> send(self, from)));
    senders.add(sender);
    runtime().whenExited(sender).thenRun(() -> senders.remove(sender));
  }

  private Object send(CoroutineProcess self, long from) {
    boolean sends = false;
    try {
      for (long number = 1; goesOn(); number++) {
        sends = true;
        self.context().send(receiver, new Item(from, number));
        sends = false;
        returned.increment();
      }
    } finally {
      if (sends) {
        cut.increment();
      }
    }
    return null;
  }

  private void kill() throws InterruptedException {
    Random random = random();
    while (goesOn()) {
      Thread.sleep(random.nextInt(PAUSE_MILLIS) + 1);
      int victim = random.nextInt(SENDERS);
      senders.stream().skip(victim).findFirst().ifPresent(sender -> {
        terminate(sender);
        add();
      });
    }
  }

  @Override
  void end() throws InterruptedException {
    awaitThreads();
    await("the senders' end", senders::isEmpty);
    await("an empty mailbox", () -> {
      ProcessSnapshot now = runtime().process(receiver);
      return now == null || (now.mailbox() == 0 && now.state() == ProcessSnapshot.State.IDLE);
    });
    long least = returned.sum();
    long most = least + cut.sum();
    check(
        done() >= least && done() <= most,
        () -> "%d to %d were sent, %d have arrived".formatted(least, most, done()));
    terminate(receiver);
  }
}
