// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.Broadcast.Overflow;
import dev.heddle.sync.Broadcast.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of coroutines that send to a broadcast, subscribe, receive and unsubscribe, with
/// and without waiting, with tokens, deadlines, cancellations, a close and a shutdown at any step.
/// One subscription with a reader of its own notes the order of all items; every other one must
/// have received a piece of that order, or been told what it lost. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-3")
@Tag("trap-4")
@Timeout(300)
class BroadcastModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 6;
  private static final int STEPS = 10;

  @Test
  void randomPrograms_everyReaderReceivesEachItemOnceOrIsTold() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int lost = 0;
    int sentThoughCancelled = 0;
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(seed);
      program.run();
      lost += program.lost;
      sentThoughCancelled += program.sentThoughCancelled;
    }
    // else the programs never met a slow reader, or the window between woken and running
    assertThat(only != null || lost > PROGRAMS / 10).as("%s lost", lost).isTrue();
    assertThat(only != null || sentThoughCancelled > PROGRAMS / 200)
        .as("%s sent though cancelled", sentThoughCancelled)
        .isTrue();
  }

  /// What a subscription has received, and how many it has lost in between.
  private static final class Reading {
    final Subscription<Integer> subscription;
    int lost;
    final List<Integer> items = new ArrayList<>(); // -n: n were lost
    int received;

    Reading(Subscription<Integer> subscription) {
      this.subscription = subscription;
    }

    void note(@Nullable Integer item) {
      if (item != null) {
        items.add(item);
        received++;
      }
    }

    void noteLost(EventsLostException e) {
      items.add((int) -e.count());
      lost += (int) e.count();
    }
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    @Nullable Reading reading;
    boolean cancelled;
    boolean sends; // is in send()
    boolean receives; // is in receive()
  }

  private static final class Program {
    private final long seed;
    private final Random random;
    private final Overflow overflow;
    private final int capacity;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Reading> readings = new ArrayList<>();
    private final List<Integer> order =
        new ArrayList<>(); // all items, as the witness received them
    private final Set<Integer> sent = new HashSet<>(); // send() has returned
    private final Set<Integer> refused = new HashSet<>(); // send() has thrown
    private int numbers = 1;
    private @Nullable Throwable broken; // what a supervised worker did not expect
    int lost;
    int sentThoughCancelled;

    Program(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.overflow = seed % 2 == 0 ? Overflow.LAG : Overflow.SUSPEND;
      this.capacity = 1 + random.nextInt(3);
    }

    void run() {
      try {
        VirtualTime.run(this::play);
        verify();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
    }

    private void play() {
      Broadcast<Integer> broadcast = Broadcast.of(capacity, overflow);
      Reading witness = open(broadcast);
      Heddle.supervise(s -> {
        for (int i = 0; i < WORKERS; i++) {
          Worker worker = new Worker();
          workers.add(worker);
          worker.coroutine = s.spawn(() -> live(worker, broadcast));
        }
        while (workers.stream().anyMatch(w -> !w.coroutine.isDone())) {
          Heddle.delay(Duration.ofNanos(3)); // virtual: over when no other coroutine is ready
          atRest(broadcast, witness);
        }
        return null;
      });
      assertThat(broken).isNull();
      broadcast.close();
      drain(witness);
      assertThat(broadcast.info()).contains("0 sending, 0 receiving");
      for (Reading reading : readings) {
        reading.subscription.close();
      }
      assertThat(broadcast.size()).as("held for nobody").isZero();
      assertThat(broadcast.subscribers()).isZero();
    }

    private Reading open(Broadcast<Integer> broadcast) {
      Reading reading = new Reading(broadcast.subscribe());
      readings.add(reading);
      return reading;
    }

    // nobody runs: who waits, waits for those that are gone, or for each other
    private void atRest(Broadcast<Integer> broadcast, Reading witness) {
      check(broadcast);
      for (Worker one : workers) {
        boolean item = one.reading != null && one.reading.subscription.size() > 0;
        if ((one.receives && item) || (one.sends && broadcast.size() < capacity)) {
          throw new AssertionError("a waiter is forgotten: " + broadcast);
        }
      }
      boolean moved = witness.subscription.size() > 0;
      drain(witness);
      if (moved) {
        return;
      }
      switch (random.nextInt(4)) {
        case 0 -> broadcast.close();
        case 1 -> workers.stream().filter(w -> w.reading != null).forEach(w -> drain(w.reading));
        default -> trySend(broadcast);
      }
    }

    private void live(Worker self, Broadcast<Integer> broadcast) {
      try {
        for (int step = 0; step < STEPS; step++) {
          step(self, broadcast);
          check(broadcast);
        }
      } catch (Throwable e) {
        boolean expected = e instanceof Cancellation && self.cancelled;
        broken = expected || broken != null ? broken : e;
        throw e;
      } finally {
        if (self.reading != null && random.nextBoolean()) {
          self.reading.subscription.close();
        }
      }
    }

    private void step(Worker self, Broadcast<Integer> broadcast) {
      try {
        act(self, broadcast);
      } catch (WaitCancelledException | DeadlineException _) {
        // noted where it was thrown
      } catch (ChannelClosedException e) {
        if (!broadcast.isClosed()) { // a worker receives from no subscription that it closed
          throw new AssertionError("closed, says an open broadcast", e);
        }
      }
    }

    private void act(Worker self, Broadcast<Integer> broadcast) {
      switch (random.nextInt(14)) {
        case 0, 1, 2 -> send(self, broadcast);
        case 3 -> trySend(broadcast);
        case 4, 5, 6, 7 -> receive(self, broadcast);
        case 8 -> drain(readings.getFirst());
        case 9, 10 -> interfere(broadcast);
        case 11 -> {
          if (self.reading != null && random.nextInt(3) == 0) {
            self.reading.subscription.close();
            self.reading = null;
          }
        }
        case 12 -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(3)));
        default -> Heddle.yieldNow();
      }
    }

    private void send(Worker self, Broadcast<Integer> broadcast) {
      int item = numbers++;
      self.sends = true;
      try {
        switch (random.nextInt(3)) {
          case 0 -> broadcast.send(item);
          case 1 -> broadcast.send(item, Deadline.after(Duration.ofNanos(1 + random.nextInt(3))));
          default -> {
            self.token = new Promise<>();
            broadcast.send(item, self.token.future());
          }
        }
        sent.add(item);
        sentThoughCancelled += self.cancelled ? 1 : 0;
      } catch (Throwable e) {
        refused.add(item);
        throw e;
      } finally {
        self.sends = false;
        self.token = null;
      }
    }

    private void trySend(Broadcast<Integer> broadcast) {
      int item = numbers++;
      boolean done = !broadcast.isClosed() && broadcast.trySend(item);
      var _ = (done ? sent : refused).add(item);
    }

    private void receive(Worker self, Broadcast<Integer> broadcast) {
      Reading reading = self.reading;
      if (reading == null) {
        reading = open(broadcast);
        self.reading = reading;
      }
      self.receives = true;
      try {
        reading.note(
            switch (random.nextInt(4)) {
              case 0 -> reading.subscription.receive();
              case 1 ->
                  reading.subscription.receive(
                      Deadline.after(Duration.ofNanos(1 + random.nextInt(3))));
              case 2 -> reading.subscription.tryReceive();
              default -> {
                self.token = new Promise<>();
                yield reading.subscription.receive(self.token.future());
              }
            });
      } catch (EventsLostException e) {
        reading.noteLost(e);
      } finally {
        self.receives = false;
        self.token = null;
      }
    }

    private static void drain(Reading reading) {
      while (reading.subscription.size() > 0) {
        try {
          reading.note(reading.subscription.tryReceive());
        } catch (EventsLostException e) {
          reading.noteLost(e);
        }
      }
    }

    private void interfere(Broadcast<Integer> broadcast) {
      Worker one = workers.get(random.nextInt(WORKERS));
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> {
          if (one.token != null) {
            var _ = one.token.tryComplete("enough");
          }
        }
        case 4, 5 -> cancel(one);
        case 6, 7 -> { // in the window: those that were woken have not run
          drain(readings.getFirst());
          workers.stream().filter(w -> w.reading != null).forEach(w -> drain(w.reading));
          cancel(one);
        }
        case 8 -> {
          if (random.nextInt(4) == 0) {
            workers.forEach(w -> cancel(w));
          }
        }
        default -> {
          if (random.nextInt(4) == 0) {
            broadcast.close();
          }
        }
      }
    }

    private static void cancel(Worker one) {
      if (one.coroutine != null) {
        one.cancelled = true;
        one.coroutine.cancel("by the program");
      }
    }

    private void check(Broadcast<Integer> broadcast) {
      boolean fits = broadcast.size() <= capacity;
      for (Reading reading : readings) {
        fits &= reading.subscription.size() <= broadcast.size();
      }
      if (overflow == Overflow.LAG) { // nobody waits for a reader that may lag
        fits &= broadcast.info().contains("0 sending");
      }
      if (!fits) {
        throw new AssertionError(broadcast.toString());
      }
    }

    // each reading is a piece of one order, without gaps other than those that it was told
    private void verify() {
      Reading witness = readings.getFirst();
      assertThat(sent).as("sent and refused").noneMatch(refused::contains);
      List<Integer> all = new ArrayList<>();
      readings.forEach(r -> r.items.stream().filter(i -> i > 0).forEach(all::add));
      assertThat(all).as("received though refused").noneMatch(refused::contains);
      if (witness.lost == 0) {
        assertThat(witness.items).doesNotHaveDuplicates();
        assertThat(witness.items).as("received by the witness").containsAll(sent);
      } else {
        assertThat(witness.received + witness.lost)
            .as("received or lost by the witness")
            .isGreaterThanOrEqualTo(sent.size());
      }
      order.addAll(spread(witness.items));
      for (Reading reading : readings) {
        lost += reading.lost;
        fits(spread(reading.items));
      }
      assertThat(overflow == Overflow.LAG || lost == 0).isTrue();
    }

    // a 0 for each item that was lost
    private static List<Integer> spread(List<Integer> items) {
      List<Integer> spread = new ArrayList<>();
      for (int item : items) {
        if (item > 0) {
          spread.add(item);
        } else {
          for (int i = 0; i < -item; i++) {
            spread.add(0);
          }
        }
      }
      return spread;
    }

    private void fits(List<Integer> piece) {
      for (int start = 0; start + piece.size() <= order.size(); start++) {
        if (fitsAt(piece, start)) {
          return;
        }
      }
      throw new AssertionError(piece + " is no piece of " + order);
    }

    private boolean fitsAt(List<Integer> piece, int start) {
      for (int i = 0; i < piece.size(); i++) {
        int here = piece.get(i);
        int there = order.get(start + i);
        if (here != 0 && there != 0 && here != there) {
          return false;
        }
      }
      return true;
    }
  }

  @Test
  void shutdown_atAnyStep_endsSendersAndReaders() {
    for (int step = 1; step < 40; step++) {
      int stop = step;
      int[] ended = new int[1];
      VirtualTime.run(() -> {
        Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
        for (int i = 0; i < 3; i++) {
          Subscription<Integer> mine = broadcast.subscribe();
          Heddle.launch(
              "reader",
              () -> {
                try (mine) {
                  mine.forEach(item -> Heddle.yieldNow());
                } catch (Cancellation _) {
                  // by the shutdown
                } finally {
                  ended[0]++;
                }
              });
        }
        Heddle.launch(
            "sender",
            () -> {
              try {
                for (int i = 0; i < 1_000; i++) {
                  broadcast.send(i);
                }
              } catch (Cancellation _) {
                // by the shutdown
              } finally {
                ended[0]++;
              }
            });
        for (int i = 0; i < stop; i++) {
          Heddle.yieldNow();
        }
        Heddle.shutdown(Duration.ofSeconds(1));
      });
      assertThat(ended[0]).as("step %s", stop).isEqualTo(4);
    }
  }
}
