// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.Cancellation;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.failure.CarriedFailures;
import dev.heddle.failure.FailureTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An event composed of several: a wait for it is a wait for all of its parts at once.
///
/// Its parts are armed and disarmed with it. A part is identified by its index, so one event may be
/// several parts. [#anyOf] and [#allOf] are the usual composites.
///
/// **Cost** one object for each part; arming and disarming are linear.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=composite}
///
/// @since 0.1
public abstract class CompositeEvent extends EventSource {
  private static final int SHOWN = 5; // parts named in a dump

  private final List<Part> parts = new ArrayList<>();

  // loop only
  private boolean armed;

  protected CompositeEvent(HomeLoop home) {
    super(home);
  }

  /// See [Event#anyOf].
  public static CompositeEvent anyOf(Awaitable<?>... several) {
    return new AnyOf(List.of(several));
  }

  /// See [Event#allOf].
  public static CompositeEvent allOf(Awaitable<?>... several) {
    return new AllOf(List.of(several));
  }

  static HomeLoop homeLoopOf(List<Awaitable<?>> several) {
    if (several.isEmpty()) {
      throw new IllegalArgumentException("an event made of none would never fire; name one");
    }
    return EventSource.of(several.getFirst()).home();
  }

  /// Adds a part of the same loop after the others; while a coroutine waits it is armed at once.
  protected final void addPart(EventSource event) {
    event.checkHomeLoop(home());
    Part part = new Part(parts.size(), event);
    parts.add(part);
    if (armed && !isDecided()) {
      part.arm();
    }
  }

  protected final int size() {
    return parts.size();
  }

  protected final EventSource part(int place) {
    return parts.get(place).event;
  }

  /// Called when a part fired, or was closed when it was armed. Inline: no user code, no lock.
  protected abstract void partFired(int place, @Nullable Object result, @Nullable Throwable error);

  protected boolean acceptsResults() {
    return !isDecided() && hasObserver();
  }

  protected boolean acceptsFailures() {
    return acceptsResults();
  }

  /// Whether the parts that have fired suffice, so that no more need to be armed.
  protected boolean isDecided() {
    return isClosed();
  }

  @Override
  protected void arm() {
    armed = true;
    for (int i = 0; i < parts.size() && !isDecided(); i++) {
      parts.get(i).arm();
    }
  }

  @Override
  protected final void disarm() {
    armed = false;
    parts.forEach(Part::disarm);
  }

  @Override
  public void onSuperseded(Throwable by) {
    parts.forEach(part -> part.event.onSuperseded(by));
  }

  /// The first few parts, for dumps.
  protected final String parts() {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < Math.min(SHOWN, parts.size()); i++) {
      text.append(i == 0 ? "" : ", ").append(parts.get(i).event.info());
    }
    return text.append(parts.size() > SHOWN ? ", ...]" : "]").toString();
  }

  private final class Part implements InlineCallback {
    private final int place;
    private final EventSource event;
    private int at = -1; // its index at the event; -1: not subscribed

    Part(int place, EventSource event) {
      this.place = place;
      this.event = event;
    }

    void arm() {
      if (event.isClosed()) {
        event.replay(this);
      } else {
        at = event.add(this);
        event.start();
      }
    }

    void disarm() {
      if (at >= 0) {
        event.unsubscribe(this, at);
        at = -1;
        event.stop();
      }
    }

    @Override
    public void moved(Event from, int to) {
      at = to;
    }

    @Override
    public boolean accepts() {
      return acceptsResults();
    }

    @Override
    public boolean acceptsFailure() {
      return acceptsFailures();
    }

    @Override
    public void onEvent(Event fired, @Nullable Object result, @Nullable Throwable error) {
      partFired(place, result, error);
    }
  }

  /// Its state is that of its parts.
  private static final class AnyOf extends CompositeEvent {
    private @Nullable EventSource last; // the part that fired in this wait

    AnyOf(List<Awaitable<?>> several) {
      super(homeLoopOf(several));
      several.forEach(a -> addPart(EventSource.of(a)));
    }

    private @Nullable EventSource closedPart() {
      for (int i = 0; i < size(); i++) {
        if (part(i).isClosed()) {
          return part(i);
        }
      }
      return null;
    }

    @Override
    public boolean isClosed() {
      return closedPart() != null;
    }

    @Override
    protected void arm() {
      last = null;
      super.arm();
    }

    // checking all parts at each firing would be quadratic
    @Override
    protected boolean isDecided() {
      return last != null;
    }

    @Override
    protected boolean acceptsResults() {
      return hasObserver();
    }

    @Override
    protected boolean acceptsFailures() {
      return hasObserver(true);
    }

    @Override
    protected void partFired(int place, @Nullable Object result, @Nullable Throwable error) {
      // the waking part; what fires after it in the same poll is not consumed
      if (last == null || hasObserver()) {
        last = part(place);
      }
      fire(result, error);
    }

    @Override
    public void replay(EventCallback callback) {
      EventSource closed = closedPart();
      if (closed == null) {
        super.replay(callback);
        return;
      }
      last = closed;
      closed.replay(new Forward(this, callback));
    }

    @Override
    public void onConsumed() {
      if (last != null) {
        last.onConsumed();
      }
    }

    @Override
    public String info() {
      return "any of " + parts();
    }
  }

  /// Passes a replay on as an event of the composite.
  private record Forward(EventSource composite, EventCallback callback) implements InlineCallback {
    @Override
    public boolean accepts() {
      return InlineCallback.accepts(callback);
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      callback.onEvent(composite, result, error);
    }
  }

  private static final class AllOf extends CompositeEvent {
    private final boolean[] fired;
    private int missing;
    private @Nullable Throwable failure;

    AllOf(List<Awaitable<?>> several) {
      super(homeLoopOf(several));
      fired = new boolean[several.size()];
      missing = several.size();
      several.forEach(a -> addPart(EventSource.of(a)));
    }

    @Override
    public boolean isClosed() {
      return missing == 0;
    }

    @Override
    protected void partFired(int place, @Nullable Object result, @Nullable Throwable error) {
      if (fired[place]) {
        return;
      }
      fired[place] = true;
      part(place).onConsumed();
      if (error != null) {
        collect(error);
      }
      if (--missing == 0) {
        fire(null, failure);
      }
    }

    // keeps the first; a failure supersedes a cancellation
    private void collect(Throwable error) {
      if (failure == null || failure instanceof Cancellation) {
        failure = error;
      } else if (!(error instanceof Cancellation)) {
        FailureTable.merge(failure, error);
      }
    }

    @Override
    public void onSuperseded(Throwable by) {
      if (failure != null && !(failure instanceof Cancellation)) {
        CarriedFailures.carry(by, failure);
      }
      super.onSuperseded(by);
    }

    @Override
    public void replay(EventCallback callback) {
      if (missing > 0) {
        super.replay(callback);
      }
      callback.onEvent(this, null, failure);
    }

    @Override
    public Collection<? extends Awaitable<?>> holders() {
      List<Awaitable<?>> all = new ArrayList<>();
      for (int i = 0; i < fired.length; i++) {
        if (!fired[i]) {
          all.addAll(part(i).holders());
        }
      }
      return all;
    }

    @Override
    public String info() {
      return missing + " of " + fired.length + " events: " + parts();
    }
  }
}
