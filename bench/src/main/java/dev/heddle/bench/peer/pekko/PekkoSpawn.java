// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// An actor that starts others in batches: each tells it so as it is set up, and stops.
public final class PekkoSpawn extends PekkoSystem {
  private final int batch;

  /// A program that starts so many at once.
  public PekkoSpawn(int batch) {
    super(TIGHT);
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long batches = Math.max(1, operations / batch);
    var tally = new Tally(1);
    var meter = new Meter();
    meter.start();
    var _ = call(context -> context.spawnAnonymous(parent(batches, tally)));
    tally.await();
    Sample sample = meter.stop(batches * batch);
    tally.check("greetings", batches * batch);
    return sample;
  }

  private enum Word {
    HELLO
  }

  private Behavior<Word> parent(long batches, Tally tally) {
    return Behaviors.setup(context -> new Parent(context, batches, tally).behavior());
  }

  private static Behavior<Word> child(ActorRef<Word> parent) {
    return Behaviors.setup(_ -> {
      parent.tell(Word.HELLO);
      return Behaviors.stopped();
    });
  }

  private final class Parent {
    private final ActorContext<Word> context;
    private final long batches;
    private final Tally tally;
    private long greetings;

    Parent(ActorContext<Word> context, long batches, Tally tally) {
      this.context = context;
      this.batches = batches;
      this.tally = tally;
      spawn();
    }

    Behavior<Word> behavior() {
      return Behaviors.receiveMessage(_ -> {
        greetings++;
        if (greetings == batches * batch) {
          tally.add(greetings);
          tally.end();
          return Behaviors.stopped();
        }
        if (greetings % batch == 0) {
          spawn();
        }
        return Behaviors.same();
      });
    }

    private void spawn() {
      for (int i = 0; i < batch; i++) {
        var _ = context.spawnAnonymous(child(context.getSelf()));
      }
    }
  }
}
