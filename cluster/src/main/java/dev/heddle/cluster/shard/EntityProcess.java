// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.peer.KeptMessages;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.Status;
import java.util.List;
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

  private final Supplier<? extends Process> entry;
  private final BooleanSupplier mayAct;
  private @Nullable KeptMessages kept; // these two: null before it begins
  private @Nullable Process entity;

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
      kept = KeptMessages.oneByOne(EntityProcess::message, made instanceof CoroutineProcess);
      made.init(context, entryPoint, input);
    }
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    Process stepped = entity;
    KeptMessages messages = kept;
    if (stepped == null || messages == null || !mayAct.getAsBoolean()) {
      out.shutdown(LEASE_OVER);
      return;
    }
    messages.step(stepped, events, out);
    if (out.status() == Status.UPGRADE) {
      throw new IllegalStateException(
          "an entity cannot be replaced by an upgrade; send to another");
    }
  }

  private static @Nullable ProcessEvent message(ProcessEvent event, boolean given) {
    Object data = event.data() instanceof Request it ? it.message() : event.data();
    if (!event.isMessage() || !(data instanceof Delivery delivery)) {
      return null;
    }
    if (!given) {
      return event;
    }
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
