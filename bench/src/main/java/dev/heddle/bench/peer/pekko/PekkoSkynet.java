// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tree;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// A tree of actors, each starting ten others; the leaves' numbers are added up on the way back.
public final class PekkoSkynet extends PekkoSystem {
  /// A program.
  public PekkoSkynet() {
    super(TIGHT);
  }

  @Override
  public Sample round(long operations) throws Exception {
    Tree tree = Tree.within(operations);
    var sum = new CompletableFuture<Long>();
    var meter = new Meter();
    meter.start();
    var _ = call(context -> context.spawnAnonymous(node(sum::complete, 0, tree.leaves())));
    long found = sum.get();
    Sample sample = meter.stop(tree.leaves());
    tree.check(found);
    return sample;
  }

  private static Behavior<Long> node(LongConsumer parent, long number, long leaves) {
    return Behaviors.setup(context -> {
      if (leaves == 1) {
        parent.accept(number);
        return Behaviors.stopped();
      }
      return new Inner(context, parent, number, leaves).behavior();
    });
  }

  private static final class Inner {
    private final LongConsumer parent;
    private int waiting = Tree.CHILDREN;
    private long sum;

    Inner(ActorContext<Long> context, LongConsumer parent, long number, long leaves) {
      this.parent = parent;
      long each = leaves / Tree.CHILDREN;
      for (int i = 0; i < Tree.CHILDREN; i++) {
        long first = number + i * each;
        var _ = context.spawnAnonymous(node(context.getSelf()::tell, first, each));
      }
    }

    Behavior<Long> behavior() {
      return Behaviors.receiveMessage(part -> {
        sum += part;
        if (--waiting > 0) {
          return Behaviors.same();
        }
        parent.accept(sum);
        return Behaviors.stopped();
      });
    }
  }
}
