// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import dev.heddle.process.ProcessEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The inbox of a body whose steps another process makes: it holds what that hands on. The mailbox
/// is that process's, which has taken these out of it.
public final class ForwardedReceiveQueue implements ReceiveQueue {
  private final List<ProcessEvent> events = new ArrayList<>();
  private final Consumer<ProcessEvent> unseen;
  private int skipped; // so many were looked at and left

  /// An empty one.
  ///
  /// @param unseen is told of what lies in it at the end
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
    events.clear(); // whoever closes it twice tells nothing twice
  }
}
