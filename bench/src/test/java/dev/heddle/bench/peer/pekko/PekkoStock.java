// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import static java.time.Duration.ofMinutes;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// The supervised server that the page for those who come from Pekko shows.
final class PekkoStock {
  private PekkoStock() {}

  // shown from here
  sealed interface Message {}

  record Add(int count) implements Message {}

  record Take(int count, ActorRef<Integer> left) implements Message {}

  static Behavior<Message> holding(int left) {
    return Behaviors.receiveMessage(message ->
        switch (message) {
          case Add(int count) -> holding(left + count);
          case Take(int count, _) when count < 0 ->
              throw new IllegalArgumentException("not positive: " + count);
          case Take(int count, ActorRef<Integer> reply) -> {
            reply.tell(left - count);
            yield holding(left - count);
          }
        });
  }

  private static final Duration LIMIT = Duration.ofSeconds(10);

  static int take(ActorSystem<Message> stock, int count) {
    return AskPattern.<Message, Integer>ask(
            stock, left -> new Take(count, left), LIMIT, stock.scheduler())
        .toCompletableFuture()
        .join();
  }

  static void run(Consumer<String> out) {
    SupervisorStrategy restart = SupervisorStrategy.restart().withLimit(10, ofMinutes(1));
    ActorSystem<Message> stock =
        ActorSystem.create(Behaviors.supervise(holding(0)).onFailure(restart), "stock");
    stock.tell(new Add(5));
    out.accept(take(stock, 2) + " left");
    try {
      take(stock, -1);
    } catch (CompletionException e) {
      out.accept("it crashed");
    }
    out.accept(take(stock, 0) + " left");
    stock.terminate();
  }
  // to here
}
