// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.AbstractSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The states of an executor, and the interleavings of its threads, one by one.
class TaskRegistryTest {
  /// A set that links its elements first and counts them afterwards, as ConcurrentHashMap does.
  /// What another thread does in between is run in between.
  private static final class LateCountingSet extends AbstractSet<String> {
    private final Set<String> elements = new HashSet<>();
    private int count;
    private Runnable beforeTheNextCount = () -> {};

    @Override
    public boolean add(String element) {
      boolean added = elements.add(element);
      Runnable between = beforeTheNextCount;
      beforeTheNextCount = () -> {};
      between.run();
      count += added ? 1 : 0;
      return added;
    }

    @Override
    public boolean remove(Object element) {
      boolean removed = elements.remove(element);
      count -= removed ? 1 : 0;
      return removed;
    }

    @Override
    public Iterator<String> iterator() {
      return Set.copyOf(elements).iterator();
    }

    @Override
    public int size() {
      return count;
    }
  }

  private final LateCountingSet set = new LateCountingSet();
  private final TaskRegistry<String> registry = new TaskRegistry<>(set);

  @Test
  void taskThatIsTakenBackWhileItIsAdded_doesNotTerminateTheOthers() {
    registry.add("running");
    set.beforeTheNextCount =
        () -> {
          registry.stop();
          assertThat(registry.all()).contains("late");
          registry.remove("late");
        };
    registry.add("late");
    assertThat(registry.isOpen()).as("the submitter sees the stop").isFalse();
    assertThat(registry.terminated()).as("one task is left").isNotDone();
    registry.remove("running");
    assertThat(registry.terminated()).isCompletedWithValue(true);
  }

  @Test
  void taskThatIsRemovedTwice_countsOnce() {
    registry.add("running");
    registry.add("twice");
    registry.remove("twice");
    registry.remove("twice");
    registry.shutdown();
    registry.terminateIfEmpty();
    assertThat(registry.terminated()).isNotDone();
    assertThat(registry.size()).isOne();
  }

  @Test
  void registryThatIsEmpty_terminatesWithItsShutdown_notBefore() {
    registry.add("ended");
    registry.remove("ended");
    registry.terminateIfEmpty();
    assertThat(registry.terminated()).isNotDone();
    registry.shutdown();
    registry.terminateIfEmpty();
    assertThat(registry.terminated()).isCompletedWithValue(true);
  }

  @Test
  void shutdown_afterAStop_opensNothing() {
    registry.stop();
    registry.shutdown();
    assertThat(registry.isOpen()).isFalse();
  }
}
