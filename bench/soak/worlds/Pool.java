// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.DeadlineException;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.Commands;
import dev.heddle.process.pool.ProcessPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/// Bodies call a pool of at most four members, which fail and are slow at times.
///
/// *Invariant*: an answer is that of its call; no more than four are at work; when the callers have
/// ended, the pool answers whoever comes.
final class Pool extends World {
  private static final int MEMBERS = 4;
  private static final int QUEUE = 8;
  private static final int CALLERS = 10;
  private static final int LAST_CALLS = 30;
  private static final Duration LIMIT = Duration.ofMillis(20);
  private static final Duration PATIENCE = Duration.ofMinutes(2); // only a hang takes so long
  private static final long ENOUGH = 4_000; // calls

  private final AtomicInteger atWork = new AtomicInteger();
  private final List<Pid> callers = new ArrayList<>();
  private Pid pool;

  Pool(Round round) {
    super(round, "pool", ENOUGH);
  }

  @Override
  void begin() {
    pool =
        spawn(
            ProcessPool.of(this::member)
                .members(1, MEMBERS)
                .queueCapacity(QUEUE)
                .keepAlive(Duration.ofMillis(50))
                .build());
    for (int i = 0; i < CALLERS; i++) {
      callers.add(spawn(caller()));
    }
  }

  private Process member() {
    Random random = random();
    return CoroutineProcess.of(self -> {
      while (true) {
        Request request = self.receive(Request.class);
        int now = atWork.incrementAndGet();
        check(now <= MEMBERS, () -> now + " are at work");
        try {
          int chance = random.nextInt(60);
          if (chance == 0) {
            throw new Crash();
          } else if (chance < 6) {
            self.sleep(Duration.ofMillis(2));
          }
        } finally {
          atWork.decrementAndGet();
        }
        request.reply().complete(request.message());
      }
    });
  }

  private Process caller() {
    return CoroutineProcess.of(self -> {
      for (long i = 0; goesOn(); i++) {
        String call = self.context().self() + "/" + i;
        try {
          Object answer = self.execute(Commands.<Object>ask(pool, call, LIMIT));
          check(call.equals(answer), () -> call + " was answered with " + answer);
        } catch (DeadlineException | AskFailedException | SendFailedException _) {
          self.sleep(Duration.ofMillis(1));
        }
        did();
      }
      return null;
    });
  }

  @Override
  void end() throws InterruptedException {
    for (Pid caller : callers) {
      awaitExit(caller);
    }
    for (int i = 0; i < LAST_CALLS; i++) {
      try {
        Object answer = runtime().ask(pool, i, PATIENCE);
        check(answer.equals(i), () -> "the last calls were answered with " + answer);
      } catch (AskFailedException _) {
        // by design, at times
      } catch (DeadlineException e) {
        violation("the pool answers nobody any more: " + e);
      }
    }
    runtime().cancel(pool, "the world ends", PATIENCE);
    Exit exit = awaitExit(pool);
    check(exit.reason() == Exit.Reason.SHUTDOWN, () -> "the pool: " + exit);
  }
}
