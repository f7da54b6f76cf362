// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.jspecify.annotations.Nullable;

/// Actors in a ring, round which one message goes.
public final class PekkoRing extends PekkoSystem {
  private final int members;

  /// A program of a ring of so many.
  public PekkoRing(int members) {
    super(TIGHT);
    this.members = members;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long laps = Math.max(1, operations / members);
    var tally = new Tally(1);
    List<ActorRef<Word>> ring = call(context -> spawn(context, laps, tally));
    for (int i = 0; i < members; i++) {
      ring.get(i).tell(new Neighbour(ring.get((i + 1) % members)));
    }
    var meter = new Meter();
    meter.start();
    ring.getFirst().tell(new Token());
    tally.await();
    Sample sample = meter.stop(laps * members);
    tally.check("hops", laps * members);
    return sample;
  }

  private List<ActorRef<Word>> spawn(ActorContext<?> context, long laps, Tally tally) {
    List<ActorRef<Word>> ring = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      ring.add(context.spawnAnonymous(new Member(i == 0, laps, tally).behavior()));
    }
    return ring;
  }

  private sealed interface Word {}

  private record Neighbour(ActorRef<Word> next) implements Word {}

  private record Token() implements Word {}

  private static final class Member {
    private final boolean first;
    private final long laps;
    private final Tally tally;
    private @Nullable ActorRef<Word> next;
    private long passed;

    Member(boolean first, long laps, Tally tally) {
      this.first = first;
      this.laps = laps;
      this.tally = tally;
    }

    Behavior<Word> behavior() {
      return Behaviors.receiveMessage(word ->
          switch (word) {
            case Neighbour(ActorRef<Word> neighbour) -> {
              next = neighbour;
              yield Behaviors.same();
            }
            case Token token -> pass(token);
          });
    }

    private Behavior<Word> pass(Token token) {
      if (passed == laps) {
        tally.end(); // it has come back to the first for the last time
        return Behaviors.stopped();
      }
      if (++passed == laps) {
        tally.add(passed);
      }
      Objects.requireNonNull(next).tell(token);
      return passed == laps && !first ? Behaviors.stopped() : Behaviors.same();
    }
  }
}
