// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.body;

import dev.heddle.process.ProcessEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The inbox of a body whose steps another process makes: it holds what that hands on. The mailbox
/// is that process's, which has taken these out of it.
public final class HandedInbox implements Inbox {
  private final List<ProcessEvent> events = new ArrayList<>();
  private final Consumer<ProcessEvent> unseen;
  private int looked; // so many were looked at and left

  /// An empty one.
  ///
  /// @param unseen is told of what lies in it at the end
  public HandedInbox(Consumer<ProcessEvent> unseen) {
    this.unseen = unseen;
  }

  @Override
  public void rewind() {
    looked = 0;
  }

  @Override
  public @Nullable Object find(Predicate<? super @Nullable Object> wanted) {
    for (; looked < events.size(); looked++) {
      if (wanted.test(events.get(looked).data())) {
        return events.remove(looked).data();
      }
    }
    return NOTHING;
  }

  @Override
  public boolean hasNews() {
    return looked < events.size();
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
