// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.process.Commands;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.simulated.program.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One mailbox with a bound, and senders that are processes and threads.
///
/// Of each sender the messages arrive in order and none twice. What was accepted arrives, but for
/// the messages that a policy drops. A message is refused only when the mailbox may be full.
final class Mailboxes {
  private static final String END = "end";

  private final Random random = new Random();
  private final int capacity = 1 + random.nextInt(4);
  private final MailboxPolicy policy = anyOf(MailboxPolicy.values());
  private final int senders = 1 + random.nextInt(4);
  private final AtomicInteger offered = new AtomicInteger(); // and not refused
  private final AtomicInteger received = new AtomicInteger();
  private final List<Sender> all = new ArrayList<>();
  private final CountDownLatch sent = new CountDownLatch(senders);
  private final Receiver receiver = new Receiver(new Random(random.nextLong()));

  private Mailboxes() {}

  /// A row of [OwnParts].
  static void run(Threads threads) {
    Mailboxes program = new Mailboxes();
    Runtimes.on(
        threads,
        ProcessRuntime.builder().workers(1 + program.random.nextInt(3)),
        runtime -> program.play(threads, runtime));
  }

  private <E> E anyOf(E[] values) {
    return values[random.nextInt(values.length)];
  }

  private void play(Threads threads, ProcessRuntime runtime) throws Exception {
    StartOptions bounded = StartOptions.defaults().withMailbox(capacity, policy);
    Pid to = runtime.spawn(receiver, bounded);
    for (int number = 0; number < senders; number++) {
      Sender sender = new Sender(number, to, new Random(random.nextLong()));
      all.add(sender);
      if (random.nextInt(3) == 0) {
        threads.start(() -> sender.sendAll(runtime));
      } else {
        var _ = runtime.spawn(sender);
      }
    }
    check(sent.await(1, TimeUnit.HOURS), "a sender does not end: " + runtime.dump());
    while (!runtime.offer(to, END).isAccepted()) {
      Thread.sleep(1);
    }
    check(receiver.ended.await(1, TimeUnit.HOURS), "the end does not arrive: " + runtime.dump());
    all.forEach(this::verify);
  }

  private void verify(Sender sender) {
    List<Integer> arrived = receiver.of(sender.number);
    List<Integer> inOrder = arrived.stream().distinct().sorted().toList();
    check(inOrder.equals(arrived), this + ": twice or out of order: " + arrived);
    check(sender.accepted.containsAll(arrived), this + ": refused, and arrived: " + arrived);
    if (policy != MailboxPolicy.DROP_OLDEST) {
      check(
          arrived.equals(sender.accepted),
          this + ": " + sender.accepted + " arrived as " + arrived);
    }
  }

  @Override
  public String toString() {
    return policy + " " + capacity + " of " + senders;
  }

  /// Sends numbers, as a process or on a thread.
  private final class Sender implements Process {
    private final int number;
    private final Pid to;
    private final Random chance;
    private final List<Integer> accepted = new ArrayList<>();
    private int next;

    private Sender(int number, Pid to, Random chance) {
      this.number = number;
      this.to = to;
      this.chance = chance;
    }

    private boolean hasMore() {
      return next < 12;
    }

    private void send(ProcessRuntime runtime) {
      int message = next++;
      int before = received.get();
      int others = offered.getAndIncrement();
      SendResult result = runtime.offer(to, new int[] {number, message});
      if (result.isAccepted()) {
        accepted.add(message);
        return;
      }
      check(
          others - before >= capacity || offered.get() - 1 - before >= capacity,
          Mailboxes.this + ": refused as " + result + " with room");
      offered.decrementAndGet();
    }

    private void sendAll(ProcessRuntime runtime) throws InterruptedException {
      while (hasMore()) {
        send(runtime);
        if (chance.nextInt(4) == 0) {
          Thread.sleep(0, 1 + chance.nextInt(1_000));
        }
      }
      sent.countDown();
    }

    private @Nullable ProcessContext context;

    @Override
    public void init(ProcessContext self, String entryPoint, @Nullable Object input) {
      context = self;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (int burst = chance.nextInt(6); burst >= 0 && hasMore(); burst--) {
        send(context.runtime());
      }
      if (hasMore()) {
        out.continueNow();
      } else {
        sent.countDown();
        out.done();
      }
    }
  }

  /// Notes what arrives. Between, it waits, with messages or without.
  private final class Receiver implements Process {
    private final Random chance;
    private final List<int[]> arrived = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private long tag;

    private Receiver(Random chance) {
      this.chance = chance;
    }

    private List<Integer> of(int sender) {
      return arrived.stream().filter(one -> one[0] == sender).map(one -> one[1]).toList();
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof int[] one) {
          received.incrementAndGet();
          arrived.add(one);
        } else if (END.equals(event.data())) {
          ended.countDown();
          out.done();
          return;
        }
      }
      switch (chance.nextInt(6)) {
        case 0 -> out.continueNow();
        case 1 -> {
          out.execute(++tag, Commands.sleep(Duration.ofNanos(1 + chance.nextInt(2_000))));
          out.awaitCommands();
        }
        case 2 -> out.continueBeforeMessages();
        default -> out.idle();
      }
    }
  }
}
