// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.ProcessEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The receive queue of a body within another process: it holds the events that this process
/// forwards, which has taken them out of its own mailbox.
public final class ForwardedReceiveQueue implements ReceiveQueue {
  private final List<ProcessEvent> events = new ArrayList<>();
  private final Consumer<ProcessEvent> unseen;
  private int skipped; // how many of the first were read and left

  /// @param unseen is called with the events that are left at the end
  public ForwardedReceiveQueue(Consumer<ProcessEvent> unseen) {
    this.unseen = unseen;
  }

  @Override
  public void rewind() {
    skipped = 0;
  }

  @Override
  public @Nullable Object find(Predicate<? super @Nullable Object> wanted) {
    for (; skipped < events.size(); skipped++) {
      if (wanted.test(events.get(skipped).data())) {
        return events.remove(skipped).data();
      }
    }
    return NOTHING;
  }

  @Override
  public boolean hasUnseen() {
    return skipped < events.size();
  }

  @Override
  public void add(ProcessEvent event) {
    events.add(event);
  }

  @Override
  public List<ProcessEvent> unreceived() {
    return events;
  }

  @Override
  public void close() {
    events.forEach(unseen);
    events.clear(); // a second close() reports nothing twice
  }
}
