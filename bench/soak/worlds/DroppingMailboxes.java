// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;

/// A thread sends more than two mailboxes of eight can take: one drops what comes, one what is
/// oldest.
///
/// *Invariant*: the order is kept. Of the first, what was accepted arrives, and the rest was
/// refused as dropped. Of the second, each request is answered, or fails as dropped.
final class DroppingMailboxes extends World {
  private static final int ROOM = 8;
  private static final long ENOUGH = 50_000; // messages to each

  private Pid newest;
  private Pid oldest;

  // the thread that sends; read when it has ended
  private long accepted;
  private long requests;

  private final LongAdder seen = new LongAdder(); // by the first
  private final LongAdder answered = new LongAdder(); // by the second
  private final LongAdder dropped = new LongAdder();

  DroppingMailboxes(Round round) {
    super(round, "dropping mailboxes", ENOUGH);
  }

  @Override
  void begin() {
    newest = spawn(receiver(), StartOptions.defaults().withMailbox(ROOM, MailboxPolicy.DROP_NEWEST));
    oldest = spawn(receiver(), StartOptions.defaults().withMailbox(ROOM, MailboxPolicy.DROP_OLDEST));
    thread(this::send);
  }

  private Process receiver() {
    Random random = random();
    return new Actor() {
      private long last;

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          long number;
          if (event.data() instanceof Request request) {
            number = (Long) request.message();
            if (request.reply().complete(number)) {
              answered.increment();
            }
          } else {
            number = (Long) event.data();
            seen.increment();
          }
          long before = last;
          check(number > before, () -> number + " comes behind " + before);
          last = number;
        }
        if (random.nextInt(20) == 0) {
          Thread.yield(); // slow enough for the mailbox to be full
        }
      }
    };
  }

  private void send() throws InterruptedException {
    for (long number = 1; goesOn(); number++) {
      switch (runtime().offer(newest, number)) {
        case ACCEPTED -> accepted++;
        case DROPPED -> {
          // its policy
        }
        case SendResult other -> check(!goesOn(), () -> "the newest is " + other);
      }
      requests++;
      runtime().request(oldest, number).whenComplete((_, failure) -> fails(failure));
      did();
      if (number % 16 == 0) {
        Thread.yield();
      }
      if (number % 512 == 0) {
        Thread.sleep(1);
      }
    }
  }

  private void fails(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof SendFailedException refused && refused.result() == SendResult.DROPPED) {
      dropped.increment();
    } else {
      check(cause == null || !goesOn(), () -> "a request has failed: " + cause);
    }
  }

  @Override
  void end() throws InterruptedException {
    awaitThreads();
    await("what the first has accepted", () -> seen.sum() >= accepted);
    await("the fate of all requests", () -> answered.sum() + dropped.sum() >= requests);
    check(seen.sum() == accepted, () -> accepted + " were accepted, " + seen + " have arrived");
    check(
        answered.sum() + dropped.sum() == requests,
        () -> requests + " requests: " + answered + " answered, " + dropped + " dropped");
    terminate(newest);
    terminate(oldest);
  }
}
