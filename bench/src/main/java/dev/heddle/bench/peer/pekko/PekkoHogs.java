// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.WaitTimes;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// Actors that always have a message of their own, one for each thread, and one that is sent a
/// message now and then.
public final class PekkoHogs extends PekkoSystem {
  private static final Object NEXT = "next";
  private static final Object STOP = "stop";

  /// A program.
  public PekkoHogs() {
    super(USUAL);
  }

  @Override
  public Sample round(long operations) throws Exception {
    var waitTimes = new WaitTimes(operations);
    var probe = new Probe();
    ActorRef<Object> victim = call(context -> context.spawnAnonymous(victim(waitTimes, probe)));
    int hogs = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < hogs; i++) {
      ActorRef<Object> hog = call(context -> context.spawnAnonymous(hog(waitTimes)));
      hog.tell(NEXT);
    }
    var meter = new Meter();
    meter.start();
    probe.repeat(operations, victim::tell);
    Sample sample = meter.stop(operations);
    victim.tell(STOP);
    return waitTimes.in(sample);
  }

  private static Behavior<Object> hog(WaitTimes until) {
    return Behaviors.setup(context ->
        Behaviors.receiveMessage(next -> {
          Computation.hold(Probe.HOG_NANOS);
          if (until.isComplete()) {
            return Behaviors.stopped();
          }
          context.getSelf().tell(next);
          return Behaviors.same();
        }));
  }

  private static Behavior<Object> victim(WaitTimes waitTimes, Probe probe) {
    return Behaviors.receiveMessage(word -> {
      if (!(word instanceof Long sent)) {
        return Behaviors.stopped();
      }
      waitTimes.since(sent);
      probe.answered();
      return Behaviors.same();
    });
  }
}
