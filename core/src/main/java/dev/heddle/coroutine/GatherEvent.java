// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.CompositeEvent;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.failure.CarriedFailures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Collects the outcomes of several awaitables, and fires once, when there are enough.
final class GatherEvent<K, T extends @Nullable Object> extends CompositeEvent {
  /// What a failure means for the whole.
  enum OnFailure {
    /// It is collected, and does not count.
    COLLECT,
    /// It is collected, and counts like a result.
    COUNT,
    /// It ends the wait, which throws it.
    THROW
  }

  private final int needed;
  private final OnFailure onFailure;

  // loop only
  private final List<K> keys = new ArrayList<>();
  private final List<@Nullable Outcome<K, T>> outcomes = new ArrayList<>();
  private final List<Outcome<K, T>> byCompletion = new ArrayList<>();
  private int counted;
  private boolean sealed; // no more awaitables will be added
  private boolean decided;
  private @Nullable Throwable firstFailure;

  /// Creates an event without parts.
  ///
  /// @param needed how many counted outcomes are enough; if there are fewer, all outcomes
  GatherEvent(HomeLoop home, int needed, OnFailure onFailure) {
    super(home);
    this.needed = needed;
    this.onFailure = onFailure;
    this.decided = needed == 0;
  }

  void add(K key, Awaitable<? extends T> awaitable) {
    Objects.requireNonNull(awaitable, () -> "nothing to await at " + key);
    keys.add(key);
    outcomes.add(null);
    addPart(EventSource.of(awaitable));
  }

  void seal() {
    sealed = true;
    decideIfEnough();
  }

  /// A callback for the end of the coroutine that adds awaitables: its end seals this event, its
  /// failure ends the wait.
  InlineCallback feederCallback() {
    return new FeederEnd();
  }

  private final class FeederEnd implements InlineCallback {
    @Override
    public boolean accepts() {
      return acceptsResults();
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      if (error == null) {
        seal();
      } else if (!decided) {
        decide(error);
      }
    }
  }

  @Override
  @SuppressWarnings("unchecked") // an Awaitable<T> fires with a T
  protected void partFired(int place, @Nullable Object result, @Nullable Throwable error) {
    if (decided || outcomes.get(place) != null) {
      return;
    }
    if (error != null && onFailure == OnFailure.THROW) {
      decide(error);
      return;
    }
    Outcome<K, T> outcome =
        new Outcome<>(keys.get(place), error == null ? (T) result : null, error);
    outcomes.set(place, outcome);
    byCompletion.add(outcome);
    if (error == null || onFailure == OnFailure.COUNT) {
      counted++;
    }
    decideIfEnough();
  }

  private void decideIfEnough() {
    if (!decided && (counted >= needed || (sealed && byCompletion.size() == size()))) {
      decide(null);
    }
  }

  private void decide(@Nullable Throwable failure) {
    decided = true;
    firstFailure = failure;
    fire(null, failure);
  }

  @Override
  public boolean isClosed() {
    return decided;
  }

  @Override
  public void replay(EventCallback callback) {
    if (!decided) {
      super.replay(callback);
    }
    callback.onEvent(this, null, firstFailure);
  }

  @Override
  public void onConsumed() {
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome<K, T> outcome = outcomes.get(i);
      if (outcome != null && outcome.failure() == null) {
        part(i).onConsumed();
      }
    }
  }

  Outcomes<K, T> outcomes() {
    return new Outcomes<>(outcomes.stream().filter(Objects::nonNull).toList(), byCompletion);
  }

  @Override
  public void onSuperseded(Throwable by) {
    for (Outcome<K, T> outcome : byCompletion) {
      if (outcome.failure() != null) {
        CarriedFailures.carry(by, outcome.failure());
      }
    }
  }

  @Override
  public Collection<? extends Awaitable<?>> holders() {
    List<Awaitable<?>> pending = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) == null) {
        pending.addAll(part(i).holders());
      }
    }
    return pending;
  }

  @Override
  public String info() {
    return (size() - byCompletion.size()) + " of " + size() + " awaited together: " + parts();
  }
}
