// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.Outcomes.Outcome;
import java.util.Iterator;
import java.util.Map.Entry;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Goes through the outcomes of a [TaskGroup], which stay in it. Tasks that are joined meanwhile
/// are left out.
final class TaskItems<T extends @Nullable Object> implements Iterator<Outcome<Object, T>> {
  /// Which task is next.
  enum Order {
    OF_SPAWNS,
    OF_ENDS
  }

  private final TaskTable<T> table;
  private final Order order;
  private final NavigableMap<Long, TaskTable<T>.Task> source;

  // loop only
  private long last = -1; // number of the last task in this order
  private TaskTable<T>.@Nullable Task next;

  TaskItems(TaskTable<T> table, Order order) {
    this.table = table;
    this.order = order;
    this.source = order == Order.OF_SPAWNS ? table.tasks : table.ended;
  }

  @Override
  public boolean hasNext() {
    if (next == null) {
      Entry<Long, TaskTable<T>.Task> entry = awaitEntry();
      if (entry == null) {
        return false;
      }
      last = entry.getKey();
      next = entry.getValue();
    }
    return true;
  }

  // null: there is none, and none will come
  private @Nullable Entry<Long, TaskTable<T>.Task> awaitEntry() {
    table.current();
    Entry<Long, TaskTable<T>.Task> entry = source.higherEntry(last);
    while (entry == null ? !isOver() : !entry.getValue().hasEnded()) {
      if (entry == null) {
        table.awaitNext();
      } else {
        table.awaitEnd(entry.getValue());
      }
      entry = source.higherEntry(last);
    }
    return entry;
  }

  private boolean isOver() {
    return table.isClosed() && (order == Order.OF_SPAWNS || table.isIdle());
  }

  @Override
  public Outcome<Object, T> next() {
    TaskTable<T>.Task task = hasNext() ? next : null;
    if (task == null) {
      throw new NoSuchElementException("no further task in " + table.describe());
    }
    next = null;
    return task.observed();
  }
}
