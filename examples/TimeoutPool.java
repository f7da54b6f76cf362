// SPDX-License-Identifier: Apache-2.0

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/// Runs 50 jobs, 8 at a time, each for 200 ms at most. A job that takes longer is cancelled: its
/// blocking call throws, its `finally` block runs, its slot goes to the next one.
final class TimeoutPool {
  private static final int JOBS = 50;
  private static final int AT_ONCE = 8;
  private static final Duration LIMIT = Duration.ofMillis(200);

  /// What became of a job.
  record Outcome(int job, String kind, String end, long millis, boolean cleanedUp) {}

  private final Semaphore slots = new Semaphore(AT_ONCE, true);

  // plain fields: the coroutines of a loop run on one thread
  private int running;
  private int mostAtOnce;

  static void main() {
    new TimeoutPool().run();
  }

  private void run() {
    List<Outcome> outcomes =
        Heddle.scope(scope -> {
          var jobs =
              IntStream.rangeClosed(1, JOBS)
                  .mapToObj(job -> scope.spawn("job " + job, () -> inSlot(job)))
                  .toList();
          return jobs.stream().map(Coroutine::await).toList();
        });
    System.out.println("job  kind            end    after   cleaned up");
    for (Outcome o : outcomes) {
      System.out.printf(
          "%3d  %-14s  %-4s  %4d ms  %s%n",
          o.job, o.kind, o.end, o.millis, o.cleanedUp ? "yes" : "NO");
    }
    long cut = outcomes.stream().filter(o -> o.end.equals("cut")).count();
    System.out.printf(
        "%d jobs: %d done, %d cut; %d at a time; %d still running%n",
        JOBS, JOBS - cut, cut, mostAtOnce, running);
  }

  private Outcome inSlot(int job) throws InterruptedException {
    slots.acquire();
    long began = System.nanoTime();
    String kind = List.of("sleeps", "waits for ever", "uses Heddle").get(job % 3);
    boolean[] cleanedUp = {false};
    String end = "done";
    try {
      Heddle.withTimeout(LIMIT, () -> work(job, cleanedUp));
    } catch (DeadlineException _) {
      end = "cut";
    } finally {
      slots.release();
    }
    return new Outcome(job, kind, end, (System.nanoTime() - began) / 1_000_000, cleanedUp[0]);
  }

  private void work(int job, boolean[] cleanedUp) throws InterruptedException {
    mostAtOnce = Math.max(mostAtOnce, ++running);
    try {
      long millis = 20 + job * 37L % 100 * 3; // 20 to 317
      switch (job % 3) {
        case 0 -> Thread.sleep(millis);
        case 1 -> new LinkedBlockingQueue<String>().take(); // nobody puts anything in
        default -> Heddle.delay(Duration.ofMillis(millis));
      }
    } finally {
      running--;
      cleanedUp[0] = true;
    }
  }
}
