// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.Status;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.RandomAccess;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The process around that of an entry. It hands on one message a step, so what an entity has not
/// got when it ends is known, and goes to its successor.
///
/// Before the entity begins, and before each of its steps, it asks whether the node may still act
/// for the shard. If not, the entity is not stepped any more: it is closed, without a signal, since
/// another node may soon have it.
final class EntityProcess implements Process {
  static final String LEASE_OVER = "the node may not act for the shard any more";

  /// The events of one step, which counts how many of them were read.
  private static final class Passed extends AbstractList<ProcessEvent> implements RandomAccess {
    private final List<ProcessEvent> events;
    private int read;

    Passed(List<ProcessEvent> events) {
      this.events = events;
    }

    @Override
    public ProcessEvent get(int index) {
      read = Math.max(read, index + 1);
      return events.get(index);
    }

    @Override
    public int size() {
      return events.size();
    }

    List<ProcessEvent> unread() {
      return List.copyOf(events.subList(read, events.size()));
    }
  }

  private final Supplier<? extends Process> entry;
  private final BooleanSupplier mayAct;
  private final Queue<ProcessEvent> backlog = new ArrayDeque<>();
  private @Nullable Process entity;
  private List<ProcessEvent> untaken = List.of(); // events that the last step has left for this one
  private @Nullable Status last; // null before the first step

  /// @param mayAct whether this node still owns the shard
  EntityProcess(Supplier<? extends Process> entry, BooleanSupplier mayAct) {
    this.entry = entry;
    this.mayAct = mayAct;
  }

  @Override
  public void init(ProcessContext context, String entryPoint, @Nullable Object input)
      throws Exception {
    if (mayAct.getAsBoolean()) { // else its first step ends it
      Process made = entry.get();
      entity = made;
      made.init(context, entryPoint, input);
    }
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    Process stepped = entity;
    if (stepped == null || !mayAct.getAsBoolean()) {
      out.shutdown(LEASE_OVER);
      return;
    }
    List<ProcessEvent> passed = new ArrayList<>(untaken);
    for (ProcessEvent event : events) {
      if (deliveryOf(event) != null) {
        backlog.add(event);
      } else {
        passed.add(event);
      }
    }
    if (takesMessages() && !backlog.isEmpty()) {
      passed.add(take(backlog.remove()));
    }
    // Without a message it is stepped, too: it may have been woken up, and messages came with it.
    Passed given = new Passed(passed);
    stepped.step(given, out);
    last = out.status();
    untaken = last == Status.CONTINUE_BEFORE_MESSAGES ? given.unread() : List.of();
    if (last == Status.UPGRADE) {
      throw new IllegalStateException(
          "an entity cannot be replaced by an upgrade; send to another");
    }
    if (!backlog.isEmpty() && (last == Status.IDLE || last == Status.EXECUTING)) {
      out.continueNow();
    }
  }

  /// Whether the step before was one after which messages do not wait.
  private boolean takesMessages() {
    return last == Status.IDLE || last == Status.EXECUTING || last == Status.CONTINUE;
  }

  private static @Nullable Delivery deliveryOf(ProcessEvent event) {
    Object data = event.data() instanceof Request it ? it.message() : event.data();
    return event.isMessage() && data instanceof Delivery delivery ? delivery : null;
  }

  private static ProcessEvent take(ProcessEvent event) {
    Delivery delivery = Objects.requireNonNull(deliveryOf(event));
    delivery.take();
    Object value = Payload.of(delivery.message).value();
    return ProcessEvent.message(
        event.data() instanceof Request it ? new Request(value, it.reply()) : value);
  }

  @Override
  public void close() throws Exception {
    if (entity != null) {
      entity.close();
    }
  }
}
