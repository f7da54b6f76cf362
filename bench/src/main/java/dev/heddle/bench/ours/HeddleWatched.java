// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import com.sun.management.ThreadMXBean;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;
import java.lang.management.ManagementFactory;

/// A loop with so many coroutines waiting and nothing else to do, while an observer looks at it
/// each second: what its thread uses is the observer's.
public final class HeddleWatched implements Program {
  /// The count with the processor time of the loop's thread, in milliseconds for each second.
  public static final String LOOP_MILLIS = "loop-millis-per-second";

  private static final int PROBES = 10; // a second

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final ResidentLoop loop = new ResidentLoop();
  private final ParkedCoroutines parked;
  private final LoopObserver observer;

  /// A program with so many waiting coroutines.
  ///
  /// @throws Exception when the loop cannot start
  public HeddleWatched(int count) throws Exception {
    parked = loop.call(() -> new ParkedCoroutines(count, 1));
    observer = loop.call(() -> LoopObserver.ofCurrentLoop(PROBES));
    observer.awaitFirstLook();
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    long carrier = observer.carrier().threadId();
    long before = threads.getThreadCpuTime(carrier);
    Sample sample = Quiet.watch(operations);
    double millis = (threads.getThreadCpuTime(carrier) - before) / 1e6;
    return sample.with(LOOP_MILLIS, millis / (sample.wallNanos() / 1e9));
  }

  @Override
  public void close() throws InterruptedException {
    observer.close();
    parked.release();
    loop.close();
  }
}
