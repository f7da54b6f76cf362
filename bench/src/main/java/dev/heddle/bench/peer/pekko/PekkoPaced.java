// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.PacedRound;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// Pairs of actors: a message from outside goes to the first, on to the second, and back. Beside
/// them, perhaps, actors that always want to go on, one for each processor.
public final class PekkoPaced extends PekkoSystem {
  private static final Object STOP = "stop";

  private final int pairs;
  private final boolean hogs;
  private final int perSecond;

  /// A program of so many pairs.
  ///
  /// @param perSecond how many messages; 0: each after the last answer of its pair
  public PekkoPaced(int pairs, boolean hogs, int perSecond) {
    super(hogs ? USUAL : TIGHT); // of as many threads as hogs none would be left
    this.pairs = pairs;
    this.hogs = hogs;
    this.perSecond = perSecond;
  }

  @Override
  public Sample round(long operations) throws Exception {
    var round = new PacedRound(pairs);
    List<ActorRef<Object>> all = new ArrayList<>();
    List<ActorRef<Object>> firsts = call(context -> spawn(context, round, all));
    PacedRound.Send send = (target, due) -> firsts.get(target).tell(due);
    Sample sample =
        perSecond == 0 ? round.closed(operations, send) : round.paced(operations, perSecond, send);
    all.forEach(actor -> actor.tell(STOP));
    return sample;
  }

  private List<ActorRef<Object>> spawn(
      ActorContext<?> context, PacedRound round, List<ActorRef<Object>> all) {
    List<ActorRef<Object>> firsts = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      ActorRef<Object> second = context.spawnAnonymous(second());
      firsts.add(context.spawnAnonymous(first(second, i, round)));
      all.add(second);
    }
    all.addAll(firsts);
    for (int i = 0; hogs && i < Runtime.getRuntime().availableProcessors(); i++) {
      ActorRef<Object> hog = context.spawnAnonymous(hog());
      hog.tell(hog);
      all.add(hog);
    }
    return firsts;
  }

  /// @param from who wants it back
  /// @param due when it was due
  private record Ball(ActorRef<Object> from, long due) {}

  private static Behavior<Object> first(ActorRef<Object> second, int number, PacedRound round) {
    return Behaviors.setup(context ->
        Behaviors.receiveMessage(word ->
            switch (word) {
              case Long due -> {
                second.tell(new Ball(context.getSelf(), due));
                yield Behaviors.same();
              }
              case Ball ball -> {
                round.answered(number, ball.due());
                yield Behaviors.same();
              }
              default -> Behaviors.stopped();
            }));
  }

  private static Behavior<Object> second() {
    return Behaviors.receiveMessage(word -> {
      if (word instanceof Ball ball) {
        ball.from().tell(ball);
        return Behaviors.same();
      }
      return Behaviors.stopped();
    });
  }

  private static Behavior<Object> hog() {
    return Behaviors.setup(context ->
        Behaviors.receiveMessage(word -> {
          if (word.equals(STOP)) {
            return Behaviors.stopped();
          }
          Computation.hold(Probe.HOG_NANOS);
          context.getSelf().tell(word);
          return Behaviors.same();
        }));
  }
}
