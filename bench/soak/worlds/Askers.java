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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/// Threads and bodies ask a server that is late, silent, answers twice, or fails.
///
/// *Invariant*: each question has one outcome; an answer is that of its question; a second one is
/// refused; afterwards nobody waits for anything.
final class Askers extends World {
  private static final int THREADS = 3;
  private static final int BODIES = 4;
  private static final Duration LIMIT = Duration.ofMillis(4);
  private static final Duration LATE = Duration.ofMillis(8);
  private static final long ENOUGH = 4_000; // outcomes

  private final AtomicReference<Pid> server = new AtomicReference<>();
  private final List<Pid> bodies = new ArrayList<>();

  Askers(Round round) {
    super(round, "askers", ENOUGH);
  }

  @Override
  void begin() {
    server.set(spawn(server()));
    for (int i = 0; i < THREADS; i++) {
      int asker = i;
      thread(() -> askOnThread(asker));
    }
    for (int i = 0; i < BODIES; i++) {
      bodies.add(spawn(body(), options(random())));
    }
  }

  private Process server() {
    Random random = random();
    return CoroutineProcess.of(self -> {
      while (true) {
        Request request = self.receive(Request.class);
        int chance = random.nextInt(200);
        if (chance == 0) {
          throw new Crash();
        } else if (chance < 4) {
          self.sleep(LATE);
        } else if (chance < 8) {
          continue;
        }
        request.reply().complete(request.message());
        check(!request.reply().complete("second"), () -> "answered twice: " + request.message());
      }
    });
  }

  private void serveAgain() {
    synchronized (server) {
      if (goesOn() && runtime().process(server.get()) == null) {
        server.set(spawn(server()));
      }
    }
  }

  private void answered(Object question, Object answer) {
    check(question.equals(answer), () -> question + " was answered with " + answer);
  }

  private void askOnThread(int asker) throws InterruptedException {
    for (long i = 0; goesOn(); i++) {
      String question = asker + "/" + i;
      try {
        answered(question, runtime().<Object>ask(server.get(), question, LIMIT));
      } catch (DeadlineException _) {
        // it was late, or silent
      } catch (AskFailedException | SendFailedException _) {
        serveAgain();
      }
      did();
    }
  }

  private Process body() {
    return CoroutineProcess.of(self -> {
      for (long i = 0; goesOn(); i++) {
        String question = self.context().self() + "/" + i;
        try {
          answered(question, self.execute(Commands.<Object>ask(server.get(), question, LIMIT)));
        } catch (DeadlineException _) {
          // it was late, or silent
        } catch (AskFailedException | SendFailedException _) {
          self.sleep(Duration.ofMillis(1)); // a thread starts another one
        }
        did();
      }
      return self.context().pendingCommands();
    });
  }

  @Override
  void end() throws InterruptedException {
    awaitThreads();
    for (Pid body : bodies) {
      Exit exit = awaitExit(body);
      check(Integer.valueOf(0).equals(exit.result()), () -> "one that has asked: " + exit);
    }
    terminate(server.get());
  }
}
