// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.MessageImage;
import dev.heddle.process.simulation.ProcessWorld.MessageCheck;
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
  private final SimulatedScheduler scheduler;
  private final Task owner;
  private final boolean dropsOldest;

  // any thread
  private final Map<Node, Sent> sent = Collections.synchronizedMap(new IdentityHashMap<>());

  // written by the consumer; another thread than the carrier reads a value of a moment ago
  private long handedOut; // the highest stamp of what has its place for good

  // under its lock: the stamps of what has arrived since, ascending
  private final List<Long> arrived = new ArrayList<>();

  /// @param image null when it is not compared
  private record Sent(long stamp, @Nullable String sender, @Nullable MessageImage image) {}

  SimulatedQueue(SimulatedScheduler scheduler, Task owner, int bound, boolean dropsOldest) {
    super(bound, dropsOldest);
    this.scheduler = scheduler;
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
    boolean isInside = scheduler.isInside();
    long stamp = newStamp(isInside);
    Object payload = node.payload();
    if (payload == null || scheduler.world().messageCheck() == MessageCheck.NONE) {
      sent.put(node, new Sent(stamp, null, null));
      return;
    }
    MessageImage image = MessageImage.of(payload);
    scheduler.unchecked().addAll(image.unchecked());
    sent.put(node, new Sent(stamp, scheduler.arrivals().senderName(isInside), image));
  }

  private long newStamp(boolean isInside) {
    synchronized (arrived) {
      long stamp = scheduler.arrivals().stamp(isInside, handedOut, arrived);
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

  private void byStamp(List<Node> arrivals) {
    arrivals.sort(Comparator.comparingLong(this::stampOf));
    synchronized (arrived) {
      arrived.clear();
      handedOut = Math.max(handedOut, stampOf(arrivals.getLast()));
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
    scheduler.arrivals().received(known.stamp);
    String change = known.image == null ? null : known.image.change();
    if (change != null) {
      scheduler
          .world()
          .failed(
              "%s has sent %s the message %s, which was changed before it was received: %s; send a"
                      .formatted(known.sender, owner.label(), describe(node.payload()), change)
                  + " copy, or an immutable object");
    }
  }

  private static String describe(@Nullable Object message) {
    String text = String.valueOf(message);
    return text.length() > 200 ? text.substring(0, 200) + "…" : text;
  }
}
