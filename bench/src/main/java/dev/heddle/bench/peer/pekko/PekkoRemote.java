// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.partner.PartnerProcess;
import dev.heddle.bench.partner.Trips;
import dev.heddle.bench.partner.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// Actors that talk to one in another JVM.
public final class PekkoRemote extends PekkoSystem {
  /// What they do.
  public enum Kind {
    /// One message to and fro.
    PING_PONG,
    /// Small records one way.
    ITEMS,
    /// A hundred bytes each, one way.
    BLOBS,
    /// Questions, so many open at a time.
    ASKS
  }

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int BLOB_BYTES = 100;

  private final Kind kind;
  private final int open;
  private final PartnerProcess partner;
  private final ActorRef<PekkoWire> other;

  /// A program.
  ///
  /// @param open how many questions
  public PekkoRemote(Kind kind, int open) throws Exception {
    super(PekkoWire.REMOTE);
    this.kind = kind;
    this.open = open;
    partner = PartnerProcess.start(PekkoPartner.class);
    other =
        call(context ->
            ActorRefResolver.get(context.getSystem()).resolveActorRef(partner.address()));
  }

  @Override
  public Sample round(long operations) throws Exception {
    return switch (kind) {
      case PING_PONG -> pingPong(operations);
      case ITEMS, BLOBS -> oneWay(operations);
      case ASKS -> asks(operations);
    };
  }

  private Sample pingPong(long operations) throws Exception {
    var trips = new Trips(operations);
    var ready = new CompletableFuture<Boolean>();
    var over = new CompletableFuture<Boolean>();
    ActorRef<PekkoWire> ping =
        call(context -> context.spawnAnonymous(new Ping(other, trips, ready, over).behavior()));
    other.tell(new PekkoWire.Greeting(ping, 0));
    ready.get();
    var meter = new Meter();
    meter.start();
    ping.tell(new PekkoWire.Go(operations));
    over.get();
    return trips.in(meter.stop(operations));
  }

  private Sample oneWay(long operations) throws Exception {
    long each = Window.each(operations);
    List<ActorRef<PekkoWire>> senders = new ArrayList<>();
    List<CompletableFuture<Boolean>> over = new ArrayList<>();
    for (int i = 0; i < Window.SENDERS; i++) {
      int sender = i;
      var ready = new CompletableFuture<Boolean>();
      var counted = new CompletableFuture<Boolean>();
      over.add(counted);
      ActorRef<PekkoWire> ref =
          call(context ->
              context.spawnAnonymous(new Sender(other, kind, sender, ready, counted).behavior()));
      senders.add(ref);
      other.tell(new PekkoWire.Greeting(ref, sender));
      ready.get();
    }
    var meter = new Meter();
    meter.start();
    senders.forEach(sender -> sender.tell(new PekkoWire.Go(each)));
    for (CompletableFuture<Boolean> counted : over) {
      counted.get();
    }
    return meter.stop(each * Window.SENDERS);
  }

  private Sample asks(long operations) throws Exception {
    var left = new AtomicLong(operations);
    var answered = new AtomicLong();
    var over = new CompletableFuture<Boolean>();
    var scheduler = call(context -> context.getSystem().scheduler());
    Runnable next =
        new Runnable() {
          @Override
          public void run() {
            long number = left.decrementAndGet();
            if (number < 0) {
              return;
            }
            AskPattern.<PekkoWire, PekkoWire>ask(
                    other, from -> new PekkoWire.Question(number, from), LIMIT, scheduler)
                .whenComplete((_, failure) -> {
                  if (failure != null) {
                    over.completeExceptionally(failure);
                  } else if (answered.incrementAndGet() == operations) {
                    over.complete(true);
                  } else {
                    run();
                  }
                });
          }
        };
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < open; i++) {
      next.run();
    }
    over.get();
    return meter.stop(operations);
  }

  @Override
  public void close() throws Exception {
    super.close();
    partner.close();
  }

  private static final class Ping {
    private final ActorRef<PekkoWire> pong;
    private final Trips trips;
    private final CompletableFuture<Boolean> ready;
    private final CompletableFuture<Boolean> over;
    private long number;
    private long began;

    Ping(
        ActorRef<PekkoWire> pong,
        Trips trips,
        CompletableFuture<Boolean> ready,
        CompletableFuture<Boolean> over) {
      this.pong = pong;
      this.trips = trips;
      this.ready = ready;
      this.over = over;
    }

    Behavior<PekkoWire> behavior() {
      return Behaviors.receiveMessage(message -> {
        if (message instanceof PekkoWire.Credit) {
          ready.complete(true);
          return Behaviors.same();
        }
        if (message instanceof PekkoWire.Small && trips.since(began)) {
          over.complete(true);
          return Behaviors.stopped();
        }
        began = System.nanoTime();
        pong.tell(new PekkoWire.Small(number++, "ping"));
        return Behaviors.same();
      });
    }
  }

  private static final class Sender {
    private final ActorRef<PekkoWire> receiver;
    private final Kind kind;
    private final int sender;
    private final CompletableFuture<Boolean> ready;
    private final CompletableFuture<Boolean> over;
    private final byte[] bytes = new byte[BLOB_BYTES];
    private long each;
    private long sent;
    private long counted;

    Sender(
        ActorRef<PekkoWire> receiver,
        Kind kind,
        int sender,
        CompletableFuture<Boolean> ready,
        CompletableFuture<Boolean> over) {
      this.receiver = receiver;
      this.kind = kind;
      this.sender = sender;
      this.ready = ready;
      this.over = over;
    }

    Behavior<PekkoWire> behavior() {
      return Behaviors.receiveMessage(message -> {
        switch (message) {
          case PekkoWire.Go go -> each = go.each();
          case PekkoWire.Credit credit -> counted = credit.counted();
          default -> throw new IllegalStateException("not for a sender: " + message);
        }
        ready.complete(true);
        while (sent < each && sent < counted + Window.SIZE) {
          sent++;
          receiver.tell(
              kind == Kind.ITEMS
                  ? new PekkoWire.Item(sender, sent)
                  : new PekkoWire.Blob(sender, bytes));
        }
        if (each > 0 && counted == each) {
          over.complete(true);
          return Behaviors.stopped();
        }
        return Behaviors.same();
      });
    }
  }
}
