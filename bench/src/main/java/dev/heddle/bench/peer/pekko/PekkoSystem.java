// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.heddle.bench.measure.Program;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// A program whose actor system lives between its rounds. Its guardian starts and stops actors for
/// them.
abstract class PekkoSystem implements Program {
  /// Pekko's own settings: at least eight threads.
  static final Config USUAL =
      ConfigFactory.parseString("pekko { loglevel = OFF, stdout-loglevel = OFF }")
          .withFallback(ConfigFactory.load());

  /// As many threads as processors: quicker where there are fewer than eight, between which the
  /// system has to switch. But an actor that keeps each of them busy with messages to itself keeps
  /// what comes from outside waiting for ever.
  static final Config TIGHT =
      ConfigFactory.parseString(
              "pekko.actor.default-dispatcher.fork-join-executor.parallelism-min = 1")
          .withFallback(USUAL);

  private final ActorSystem<Order> system;

  PekkoSystem(Config config) {
    system = ActorSystem.create(guardian(), "bench", config);
  }

  /// Something for the guardian to do.
  interface Order {
    void run(ActorContext<Order> context);
  }

  private static Behavior<Order> guardian() {
    return Behaviors.setup(context ->
        Behaviors.receiveMessage(order -> {
          order.run(context);
          return Behaviors.same();
        }));
  }

  /// Has the guardian do something, and waits for what comes of it.
  final <T> T call(Function<ActorContext<Order>, T> what) throws Exception {
    var result = new CompletableFuture<T>();
    system.tell(context -> {
      try {
        result.complete(what.apply(context));
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    });
    return result.get();
  }

  @Override
  public void close() throws Exception {
    system.terminate();
    var _ = system.getWhenTerminated().toCompletableFuture().get();
  }
}
