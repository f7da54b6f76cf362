// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.Arrays;

/// A task with an open burst in its queue that holds 0, what its steps got, and the scheduler
/// without threads in whose FIFO it stands when it was woken.
final class BurstReceiver extends Task {
  private static final int PLACES = 8;

  /// Numbers in a row.
  private static final class Slice extends Node {
    final Object[] numbers;

    Slice(Object... numbers) {
      this.numbers = numbers;
    }
  }

  private static final class Numbers extends Burst {
    private final BurstReceiver to;

    Numbers(BurstReceiver to, Integer first) {
      super(to, to.queue, PLACES, first);
      this.to = to;
    }

    @Override
    protected Node node(Object[] from, int first, int end) {
      return new Slice(Arrays.copyOfRange(from, first, end));
    }

    @Override
    protected void unseen(Object item) {
      to.taken.count((Integer) item);
    }
  }

  private final WorkScheduler scheduler = WorkerThread.newScheduler("stress", 1);
  private final Worker worker = scheduler.workers()[0];
  private final EventQueue queue = new EventQueue(Integer.MAX_VALUE);
  private final Burst burst;
  private final boolean looks;
  private final StringBuilder got = new StringBuilder();

  // handed out, or left unseen
  private final Taken taken = new Taken(4);
  private int accepted = 1; // the sender

  /// @param looks whether it looks at one after the other, as a body does
  BurstReceiver(boolean looks) {
    super(QueuePriority.LOW); // who wakes it puts it into the FIFO
    this.looks = looks;
    this.burst = new Numbers(this, 0);
    var _ = queue.push(burst);
    burst.pushed();
  }

  // ---- the step that sends ----

  void add(Integer number) {
    if (worker.add(burst, number)) {
      accepted++;
    }
  }

  void endBurst() {
    worker.end(burst);
  }

  void push(Integer number) {
    var _ = queue.push(new Slice(number));
    scheduler.wake(this, BY_MESSAGE, null);
  }

  // ---- the receiver ----

  void run() {
    StepResult _ = worker.runSteps(this, new Run());
  }

  @Override
  protected StepResult step(Run run) {
    if (looks) {
      look();
    } else {
      take(PLACES);
    }
    return StepResult.IDLE;
  }

  void take(int most) {
    for (var node = queue.take(most); node != null; node = EventQueue.after(node)) {
      got(node);
    }
  }

  private void look() {
    queue.rewind();
    for (var node = queue.peekNext(); node != null; node = queue.peekNext()) {
      if (queue.remove(node)) {
        got(node);
      }
    }
    queue.publish();
  }

  private void got(Node node) {
    for (Object number : ((Slice) node).numbers) {
      got.append(number);
      taken.count((Integer) number);
    }
  }

  /// What it does when it ends.
  void abandon() {
    for (var node = queue.close(); node != null; node = EventQueue.after(node)) {
      ((Burst) node).abandon();
    }
  }

  @Override
  protected void completed() {}

  // ---- the monitor ----

  void urge() {
    scheduler.wakeReceiver(burst);
  }

  // ---- the verdicts ----

  String gotAtLast() {
    while (scheduler.global().poll() != null) {
      run();
    }
    return got.toString();
  }

  boolean isEachTakenOnce() {
    for (int i = accepted; i < 4; i++) {
      taken.count(i); // was refused, and would count as lost
    }
    return taken.verdict() == Taken.FINE;
  }
}
