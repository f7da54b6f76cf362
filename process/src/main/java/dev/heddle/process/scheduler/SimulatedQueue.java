// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.MessageChecks;
import dev.heddle.process.simulation.MessageImage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A queue of a simulation: the ordinary lane hands out what has arrived in the order of
/// [ArrivalOrder], and what is handed out is compared with what was sent.
///
/// The urgent lane, and the lane of a queue that drops its oldest message, keep the order of the
/// pushes.
final class SimulatedQueue extends EventQueue {
  private final ArrivalOrder arrivals;
  private final MessageChecks checks;
  private final Task owner;
  private final boolean dropsOldest;

  // any thread
  private final Map<Node, Sent> sent = Collections.synchronizedMap(new IdentityHashMap<>());

  // written by the consumer; another thread than the carrier reads a value of a moment ago
  private long handedOut; // the highest stamp of what has its place for good

  // under its lock: the stamps of what has arrived since, ascending
  private final List<Long> arrived = new ArrayList<>();

  private record Sent(long stamp, @Nullable Image image) {}

  /// What is compared.
  private record Image(String sender, MessageImage message) {}

  SimulatedQueue(
      ArrivalOrder arrivals, MessageChecks checks, Task owner, int bound, boolean dropsOldest) {
    super(bound, dropsOldest);
    this.arrivals = arrivals;
    this.checks = checks;
    this.owner = owner;
    this.dropsOldest = dropsOldest;
  }

  // ---- producers ----

  @Override
  public Push push(Node node) {
    record(node);
    return pushed(node, super.push(node));
  }

  @Override
  public int pushSome(Node[] nodes, int from, int end) {
    return push(nodes[from]) == Push.ACCEPTED ? 1 : 0; // each has its own place
  }

  @Override
  public Push push(Node node, Consumer<Node> displaced) {
    record(node);
    Consumer<Node> forgets =
        gone -> {
          sent.remove(gone);
          displaced.accept(gone);
        };
    return pushed(node, super.push(node, forgets));
  }

  @Override
  public Push pushInOrder(Node node) {
    record(node);
    return pushed(node, super.pushInOrder(node));
  }

  @Override
  public Push pushResult(Node node, boolean inOrder) {
    if (inOrder) {
      record(node);
    }
    return pushed(node, super.pushResult(node, inOrder));
  }

  private void record(Node node) {
    long stamp = newStamp();
    MessageImage message = checks.imageOf(node.payload());
    Image image = message == null ? null : new Image(arrivals.senderName(), message);
    sent.put(node, new Sent(stamp, image));
  }

  private long newStamp() {
    synchronized (arrived) {
      long stamp = arrivals.stamp(handedOut, arrived);
      if (dropsOldest) { // that lane keeps the order of the pushes
        handedOut = stamp;
        return stamp;
      }
      int place = Collections.binarySearch(arrived, stamp);
      arrived.add(place < 0 ? ~place : place, stamp);
      return stamp;
    }
  }

  private Push pushed(Node node, Push result) {
    if (result != Push.ACCEPTED) {
      forget(sent.remove(node));
    }
    return result;
  }

  private void forget(@Nullable Sent refused) {
    if (refused != null) {
      synchronized (arrived) {
        arrived.remove((Object) refused.stamp);
      }
    }
  }

  // ---- the consumer ----

  @Override
  public @Nullable Node take(int most, boolean resultsFirst) {
    arrange();
    return received(super.take(most, resultsFirst));
  }

  @Override
  public @Nullable Node takeResults() {
    arrange();
    return received(super.takeResults());
  }

  @Override
  public @Nullable Node peekNext() {
    arrange();
    return super.peekNext();
  }

  @Override
  public boolean remove(Node peeked) {
    boolean removed = super.remove(peeked);
    if (removed) {
      received(peeked, sent.remove(peeked));
    }
    return removed;
  }

  @Override
  public @Nullable Node close() {
    sent.clear();
    return super.close();
  }

  private void arrange() {
    reorderArrivals(this::byStamp);
  }

  private void byStamp(List<Node> nodes) {
    nodes.sort(Comparator.comparingLong(this::stampOf));
    synchronized (arrived) {
      arrived.clear();
      handedOut = Math.max(handedOut, stampOf(nodes.getLast()));
    }
  }

  private long stampOf(Node node) {
    Sent known = Objects.requireNonNull(sent.get(node), "a node that was not pushed");
    return known.stamp;
  }

  private @Nullable Node received(@Nullable Node first) {
    for (Node node = first; node != null; node = after(node)) {
      received(node, sent.remove(node));
    }
    return first;
  }

  private void received(Node node, @Nullable Sent known) {
    if (known == null) {
      return; // urgent
    }
    arrivals.received(known.stamp);
    Image image = known.image;
    if (image != null) {
      checks.compare(image.sender, owner.label(), node.payload(), image.message);
    }
  }
}
