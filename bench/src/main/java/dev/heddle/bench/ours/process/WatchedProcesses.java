// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import com.sun.management.ThreadMXBean;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// So many processes that wait, and an observer that looks at their runtime each second, on a
/// thread of its own, as its session in the observed JVM does: what that thread uses.
public final class WatchedProcesses extends Resident {
  /// The count with the processor time of the observer's thread, in milliseconds for each second.
  public static final String OBSERVER_MILLIS = "observer-millis-per-second";

  private static final long LOOK_NANOS = 1_000_000_000;
  private static final int FIRST_LOOKS = 10; // in which each process is seen, twice

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final Attachable observed = Attachables.all().getLast(); // the runtime, just started
  private final Thread observer = new Thread(this::observe, "observer");
  private final CountDownLatch warm = new CountDownLatch(1);
  private volatile boolean over;

  /// A program with so many waiting processes.
  ///
  /// @throws Exception when they cannot start
  public WatchedProcesses(int count) throws Exception {
    var _ = spawn(count, _ -> (_, _) -> {});
    observer.start();
    warm.await();
  }

  private void observe() {
    try (Feed feed = observed.watch()) {
      for (int i = 0; i < FIRST_LOOKS; i++) {
        List<Map<String, String>> _ = feed.look();
      }
      warm.countDown();
      while (!over) {
        LockSupport.parkNanos(LOOK_NANOS);
        List<Map<String, String>> _ = feed.look();
      }
    }
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    long before = threads.getThreadCpuTime(observer.threadId());
    Sample sample = Quiet.watch(operations);
    double millis = (threads.getThreadCpuTime(observer.threadId()) - before) / 1e6;
    return sample.with(OBSERVER_MILLIS, millis / (sample.wallNanos() / 1e9));
  }

  @Override
  public void close() {
    over = true;
    LockSupport.unpark(observer);
    super.close();
  }
}
