// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.partner.Partner;
import dev.heddle.bench.partner.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// The other node: an actor that sends pings back, answers questions and counts items.
public final class PekkoPartner implements Partner {
  /// A partner.
  public PekkoPartner() {}

  @Override
  public String start(String... arguments) {
    ActorSystem<PekkoWire> system =
        ActorSystem.create(new Answering().behavior(), "partner", PekkoWire.REMOTE);
    return ActorRefResolver.get(system).toSerializationFormat(system);
  }

  private static final class Answering {
    private final Map<Integer, ActorRef<PekkoWire>> senders = new TreeMap<>();
    private final List<long[]> counted = new ArrayList<>();

    Behavior<PekkoWire> behavior() {
      for (int i = 0; i < Window.SENDERS; i++) {
        counted.add(new long[1]);
      }
      return Behaviors.receiveMessage(message -> {
        receive(message);
        return Behaviors.same();
      });
    }

    private void receive(PekkoWire message) {
      switch (message) {
        case PekkoWire.Greeting(ActorRef<PekkoWire> from, int sender) -> {
          senders.put(sender, from);
          counted.get(sender)[0] = 0;
          from.tell(new PekkoWire.Credit(0));
        }
        case PekkoWire.Small small -> sender(0).tell(small);
        case PekkoWire.Question(long number, ActorRef<PekkoWire> from) ->
            from.tell(new PekkoWire.Small(number, "pong"));
        case PekkoWire.Item item -> count(item.sender());
        case PekkoWire.Blob blob -> count(blob.sender());
        case PekkoWire.Credit _, PekkoWire.Go _ ->
            throw new IllegalStateException("not for the partner: " + message);
      }
    }

    private ActorRef<PekkoWire> sender(int sender) {
      return Objects.requireNonNull(senders.get(sender), "it has not said who it is");
    }

    private void count(int sender) {
      long now = ++counted.get(sender)[0];
      if (now % Window.CREDIT == 0) {
        sender(sender).tell(new PekkoWire.Credit(now));
      }
    }
  }
}
