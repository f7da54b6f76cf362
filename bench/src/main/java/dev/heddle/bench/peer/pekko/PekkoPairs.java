// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// Pairs of actors that send a message to and fro.
public final class PekkoPairs extends PekkoSystem {
  private final int pairs;

  /// A program of so many pairs.
  public PekkoPairs(int pairs) {
    super(TIGHT);
    this.pairs = pairs;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long trips = Math.max(1, operations / pairs);
    var tally = new Tally(pairs);
    List<ActorRef<Ball>> pings = call(context -> spawn(context, trips, tally));
    List<Ball> balls = new ArrayList<>();
    pings.forEach(ping -> balls.add(new Ball(ping)));
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < pairs; i++) {
      pings.get(i).tell(balls.get(i));
    }
    tally.await();
    Sample sample = meter.stop(pairs * trips);
    tally.check("answers", pairs * trips);
    return sample;
  }

  private List<ActorRef<Ball>> spawn(ActorContext<?> context, long trips, Tally tally) {
    List<ActorRef<Ball>> pings = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      ActorRef<Ball> pong = context.spawnAnonymous(new Pong(trips, tally).behavior());
      pings.add(context.spawnAnonymous(new Ping(pong, trips, tally).behavior()));
    }
    return pings;
  }

  /// @param from who wants it back
  private record Ball(ActorRef<Ball> from) {}

  private static final class Ping {
    private final ActorRef<Ball> pong;
    private final Tally tally;
    private long left;

    Ping(ActorRef<Ball> pong, long trips, Tally tally) {
      this.pong = pong;
      this.left = trips;
      this.tally = tally;
    }

    Behavior<Ball> behavior() {
      return Behaviors.receiveMessage(ball -> {
        if (left-- > 0) {
          pong.tell(ball);
          return Behaviors.same();
        }
        tally.end();
        return Behaviors.stopped();
      });
    }
  }

  private static final class Pong {
    private final long trips;
    private final Tally tally;
    private long answered;

    Pong(long trips, Tally tally) {
      this.trips = trips;
      this.tally = tally;
    }

    Behavior<Ball> behavior() {
      return Behaviors.receiveMessage(ball -> {
        if (++answered < trips) {
          ball.from().tell(ball);
          return Behaviors.same();
        }
        tally.add(answered);
        ball.from().tell(ball);
        return Behaviors.stopped();
      });
    }
  }
}
