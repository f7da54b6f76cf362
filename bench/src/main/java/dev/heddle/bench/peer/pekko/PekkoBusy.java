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

/// An actor that sends a message to an idle one, and then computes.
public final class PekkoBusy extends PekkoSystem {
  private static final Object STOP = "stop";

  /// A program.
  public PekkoBusy() {
    super(USUAL);
  }

  @Override
  public Sample round(long operations) throws Exception {
    var waitTimes = new WaitTimes(operations);
    var probe = new Probe(2);
    ActorRef<Object> idle = call(context -> context.spawnAnonymous(idle(waitTimes, probe)));
    ActorRef<Object> busy = call(context -> context.spawnAnonymous(busy(idle, probe)));
    var meter = new Meter();
    meter.start();
    probe.repeat(operations, busy::tell);
    Sample sample = meter.stop(operations);
    idle.tell(STOP);
    busy.tell(STOP);
    return waitTimes.in(sample);
  }

  private static Behavior<Object> idle(WaitTimes waitTimes, Probe probe) {
    return Behaviors.receiveMessage(word -> {
      if (!(word instanceof Long sent)) {
        return Behaviors.stopped();
      }
      waitTimes.since(sent);
      probe.answered(); // on a busy machine behind the busy one
      return Behaviors.same();
    });
  }

  private static Behavior<Object> busy(ActorRef<Object> idle, Probe probe) {
    return Behaviors.receiveMessage(word -> {
      if (!(word instanceof Long)) {
        return Behaviors.stopped();
      }
      idle.tell(System.nanoTime());
      Computation.hold(Probe.BUSY_NANOS);
      probe.answered();
      return Behaviors.same();
    });
  }
}
