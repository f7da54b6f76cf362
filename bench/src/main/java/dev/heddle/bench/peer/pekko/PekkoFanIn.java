// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.pekko;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/// Actors that all send to one, whose mailbox has no bound.
public final class PekkoFanIn extends PekkoSystem {
  private final int senders;
  private final int burst;

  /// A program in which so many send `burst` messages each before they wait for the receiver.
  public PekkoFanIn(int senders, int burst) {
    super(TIGHT);
    this.senders = senders;
    this.burst = burst;
  }

  @Override
  public Sample round(long operations) throws Exception {
    int together = senders * burst;
    long bursts = Math.max(1, operations / together);
    var drained = new Semaphore(0);
    ActorRef<Word> receiver =
        call(context -> context.spawnAnonymous(new Receiver(together, drained).behavior()));
    List<ActorRef<Word>> sending = new ArrayList<>();
    for (int i = 0; i < senders; i++) {
      sending.add(call(context -> context.spawnAnonymous(sender(receiver))));
    }
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < bursts; i++) {
      sending.forEach(sender -> sender.tell(Word.GO));
      drained.acquire();
    }
    Sample sample = meter.stop(bursts * together);
    sending.forEach(sender -> sender.tell(Word.STOP));
    receiver.tell(Word.STOP);
    drained.acquire();
    return sample;
  }

  private enum Word {
    GO,
    ITEM,
    STOP
  }

  private Behavior<Word> sender(ActorRef<Word> receiver) {
    return Behaviors.receiveMessage(word -> {
      if (word == Word.STOP) {
        return Behaviors.stopped();
      }
      for (int i = 0; i < burst; i++) {
        receiver.tell(Word.ITEM);
      }
      return Behaviors.same();
    });
  }

  private static final class Receiver {
    private final int together;
    private final Semaphore drained;
    private int received;

    Receiver(int together, Semaphore drained) {
      this.together = together;
      this.drained = drained;
    }

    Behavior<Word> behavior() {
      return Behaviors.receiveMessage(word -> {
        if (word == Word.STOP) {
          check();
          drained.release();
          return Behaviors.stopped();
        }
        if (++received == together) {
          received = 0;
          drained.release();
        }
        return Behaviors.same();
      });
    }

    /// What fails here is not released, and its round has no answer.
    private void check() {
      if (received != 0) {
        throw new IllegalStateException(received + " messages more than were sent");
      }
    }
  }
}
