// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A runtime full of processes that do anything to each other, and what is known of them.
final class RandomWorld implements ProcessListener {
  private static final int ADDRESSES = 500; // of whom somebody is chosen, living or not

  final ProcessRuntime runtime;
  final AtomicInteger born = new AtomicInteger();
  final AtomicBoolean quiet = new AtomicBoolean(); // from now on nobody does anything of his own

  private final long seed;
  private final AtomicInteger started = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicLong lastMessage = new AtomicLong();
  private final AtomicLong delivered = new AtomicLong();
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private final Queue<RandomLife> lives = new ConcurrentLinkedQueue<>();

  /// Messages on their way, by number: to whom.
  private final Map<Long, Pid> sent = new ConcurrentHashMap<>();

  // under its own lock
  private final List<Pid> addresses = new ArrayList<>();

  RandomWorld(long seed, int workers) {
    this.seed = seed;
    this.runtime =
        ProcessRuntime.builder()
            .workers(workers)
            .factory(_ -> {
              RandomLife next = life();
              next.expectClose();
              return next;
            })
            .listener(this)
            .start();
  }

  @Override
  public void onStart(Pid pid, StartOptions options) {
    started.incrementAndGet();
    synchronized (addresses) {
      if (addresses.size() < ADDRESSES) {
        addresses.add(pid);
      } else {
        addresses.set((int) (pid.id() % ADDRESSES), pid);
      }
    }
  }

  @Override
  public void onExit(Exit exit) {
    ended.incrementAndGet();
  }

  /// A process that is to be spawned.
  RandomLife life() {
    RandomLife life = new RandomLife(this, new Random(seed + born.incrementAndGet()));
    lives.add(life);
    return life;
  }

  Pid someone(Random random) {
    synchronized (addresses) {
      return addresses.get(random.nextInt(addresses.size()));
    }
  }

  void fault(String what) {
    faults.add(what);
  }

  // ---- messages ----

  /// Sends a message that is accounted for.
  void send(Pid to) {
    long number = lastMessage.incrementAndGet();
    sent.put(number, to);
    if (!runtime.offer(to, number).isAccepted() && sent.remove(number) == null) {
      fault("message " + number + " was refused by " + to + ", and delivered");
    }
  }

  void delivered(Pid self, long number) {
    delivered.incrementAndGet();
    Pid to = sent.remove(number);
    if (!self.equals(to)) {
      fault("message " + number + " for " + to + " came to " + self + "; twice, if for null");
    }
  }

  // ---- what holds ----

  /// Waits until nobody has anything to do.
  void awaitRest() {
    quiet.set(true);
    while (!isAtRest()) {
      Thread.yield();
    }
  }

  /// Workers may wake each other while they are looked at one by one; so they are looked at twice,
  /// and what was seen between the two looks is true if none has stirred.
  private boolean isAtRest() {
    List<WorkerCounters> workers = runtime.workers();
    if (!workers.stream().allMatch(WorkerCounters::asleep)) {
      return false;
    }
    for (ProcessSnapshot process : runtime.processes()) {
      boolean waits =
          process.state() == ProcessSnapshot.State.IDLE
              || process.state() == ProcessSnapshot.State.BLOCKED;
      if (!waits || process.mailbox() > 0 || process.pendingCommands() > 0) {
        return false;
      }
    }
    return runtime.workers().equals(workers);
  }

  /// What is wrong in a world at rest, in words.
  List<String> wrongAtRest() {
    Set<Pid> living = new HashSet<>();
    runtime.processes().forEach(process -> living.add(process.pid()));
    List<String> wrong = new ArrayList<>(faults);
    sent.forEach((number, to) -> {
      if (living.contains(to)) {
        wrong.add("message " + number + " for " + to + ", which lives, is lost");
      }
    });
    for (RandomLife life : lives) {
      life.watched().stream()
          .filter(target -> !living.contains(target))
          .forEach(target -> wrong.add(life.self() + " was not told of the end of " + target));
    }
    if (delivered.get() == 0) {
      wrong.add("nothing was delivered");
    }
    if (living.size() != started.get() - ended.get()) {
      wrong.add(
          "%d live, of %d that started and %d that ended"
              .formatted(living.size(), started.get(), ended.get()));
    }
    return wrong;
  }

  /// What is wrong in a world that has ended, in words.
  List<String> wrongAtTheEnd(ShutdownReport report) {
    List<String> wrong = new ArrayList<>(faults);
    for (RandomLife life : lives) {
      String complaint = life.wronglyClosed();
      if (complaint != null) {
        wrong.add(complaint);
      }
    }
    if (started.get() != ended.get()) {
      wrong.add("%d have started, the end of %d was told".formatted(started.get(), ended.get()));
    }
    if (!report.abandoned().isEmpty()) {
      wrong.add("abandoned: " + report.abandoned());
    }
    return wrong;
  }

  /// All processes, for whoever has waited in vain.
  String story(int most) {
    StringBuilder text = new StringBuilder("seed " + seed + "\n" + runtime.workers());
    runtime.processes().stream().limit(most).forEach(process -> text.append('\n').append(process));
    return text.toString();
  }
}
