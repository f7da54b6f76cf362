// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Shares;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// An actor that sends to many others as it handles one message.
public final class PekkoSpread extends PekkoSystem {
  private final int woken;

  /// A program in which it sends to so many.
  public PekkoSpread(int woken) {
    super(TIGHT); // the share of one thread among eight says nothing of two processors
    this.woken = woken;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long times = Math.max(1, operations / woken);
    var shares = new Shares();
    var probe = new Probe();
    List<ActorRef<Word>> others = new ArrayList<>();
    for (int i = 0; i < woken; i++) {
      others.add(call(context -> context.spawnAnonymous(computing(shares, probe))));
    }
    ActorRef<Word> waker = call(context -> context.spawnAnonymous(waker(others)));
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < times; i++) {
      waker.tell(Word.GO);
      probe.await(woken);
    }
    Sample sample = meter.stop(times * woken);
    waker.tell(Word.STOP);
    return shares.in(sample, times * woken);
  }

  private enum Word {
    GO,
    STOP
  }

  private static Behavior<Word> waker(List<ActorRef<Word>> others) {
    return Behaviors.receiveMessage(word -> {
      others.forEach(other -> other.tell(word));
      return word == Word.STOP ? Behaviors.stopped() : Behaviors.same();
    });
  }

  private static Behavior<Word> computing(Shares shares, Probe probe) {
    var result = new long[] {1};
    return Behaviors.receiveMessage(word -> {
      if (word == Word.STOP) {
        return Behaviors.stopped();
      }
      result[0] = Computation.run(result[0], Shares.ROUNDS);
      shares.one();
      probe.answered();
      return Behaviors.same();
    });
  }
}
