// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.Delays;
import dev.heddle.event.source.EventSource;
import java.time.Duration;

/// Arming and cancelling timers of a loop.
public final class HeddleTimers implements Program {
  private final ResidentLoop loop = new ResidentLoop();
  private final Delays delays = Delays.outstanding();
  private final EventSource[] outstanding;
  private final boolean replacing;
  private long next;

  /// A program with so many timers outstanding; replacing cancels the oldest of them for each new
  /// one, otherwise each new one is cancelled at once.
  ///
  /// @throws Exception when the loop cannot start
  public HeddleTimers(int outstanding, boolean replacing) throws Exception {
    this.outstanding = new EventSource[outstanding];
    this.replacing = replacing;
    loop.call(this::fill);
  }

  @Override
  public Sample round(long operations) throws Exception {
    return loop.call(() -> run(operations));
  }

  @Override
  public void close() throws Exception {
    loop.call(this::clear);
    loop.close();
  }

  private Sample run(long operations) {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      if (replacing) {
        int slot = (int) (next % outstanding.length);
        outstanding[slot].stop();
        outstanding[slot] = arm(next++);
      } else {
        arm(next++).stop();
      }
    }
    return meter.stop(operations);
  }

  private boolean fill() {
    for (int i = 0; i < outstanding.length; i++) {
      outstanding[i] = arm(next++);
    }
    return true;
  }

  private boolean clear() {
    for (EventSource timer : outstanding) {
      timer.stop();
    }
    return true;
  }

  private EventSource arm(long index) {
    EventSource timer = EventSource.of(Heddle.daemonTimer(Duration.ofNanos(delays.nanos(index))));
    timer.start();
    return timer;
  }
}
