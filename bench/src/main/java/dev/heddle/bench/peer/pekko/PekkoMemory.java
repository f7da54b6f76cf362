// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// Actors that have nothing to do.
public final class PekkoMemory extends PekkoSystem {
  private static final long LOOK_NANOS = 1_000_000;

  /// A program.
  public PekkoMemory() {
    super(TIGHT);
  }

  @Override
  public Sample round(long operations) throws Exception {
    int count = Math.toIntExact(operations);
    var meter = new Meter();
    long before = LiveHeap.bytes();
    meter.start();
    var started = new CountDownLatch(count);
    var _ = call(context -> spawn(context, count, started));
    started.await();
    Sample sample = meter.stop(count);
    double bytes = LiveHeap.bytes() - before;
    var _ = call(PekkoMemory::stop);
    while (call(context -> context.getChildren().size()) > 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return sample.with("live-bytes", bytes / count);
  }

  private static boolean spawn(ActorContext<Order> context, int count, CountDownLatch started) {
    Behavior<String> idle =
        Behaviors.setup(_ -> {
          started.countDown();
          return Behaviors.empty();
        });
    for (int i = 0; i < count; i++) {
      var _ = context.spawnAnonymous(idle);
    }
    return true;
  }

  private static boolean stop(ActorContext<Order> context) {
    context.getChildren().forEach(context::stop);
    return true;
  }
}
