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

/// An event made of several: who waits for it waits for all of its parts at once.
///
/// Its parts are armed with it and disarmed with it; each is told apart by its place, so the same
/// event may be there twice. [#anyOf] and [#allOf] make the usual ones.
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

  /// Without parts.
  protected CompositeEvent(HomeLoop home) {
    super(home);
  }

  /// Fires each time one of several fires, with what that one fires with; closed when one of them
  /// is.
  ///
  /// @throws IllegalArgumentException without parts
  public static CompositeEvent anyOf(Awaitable<?>... several) {
    return new AnyOf(List.of(several));
  }

  /// Fires when each of several has fired, and is closed then; with the first failure among them,
  /// if one failed, which has the others in its report. Where the wait ends before, those that came
  /// are found in the report of what ended it. An event that fires again and again counts if it
  /// fires while somebody waits.
  ///
  /// @throws IllegalArgumentException without parts
  public static CompositeEvent allOf(Awaitable<?>... several) {
    return new AllOf(List.of(several));
  }

  static HomeLoop homeLoopOf(List<Awaitable<?>> several) {
    if (several.isEmpty()) {
      throw new IllegalArgumentException("an event made of none would never fire; name one");
    }
    return EventSource.of(several.getFirst()).home();
  }

  /// Adds a part behind the others; while somebody waits it is armed at once.
  ///
  /// @throws IllegalStateException when it belongs to another loop
  protected final void addPart(EventSource event) {
    event.checkHomeLoop(home());
    Part part = new Part(parts.size(), event);
    parts.add(part);
    if (armed && !isDecided()) {
      part.arm();
    }
  }

  /// How many parts it has.
  protected final int size() {
    return parts.size();
  }

  /// The part at `place`, counted from 0.
  protected final EventSource part(int place) {
    return parts.get(place).event;
  }

  /// A part fired, or was closed when it was armed. Inline: no user code, no lock.
  protected abstract void partFired(int place, @Nullable Object result, @Nullable Throwable error);

  /// Whether an outcome of a part would be made use of now.
  protected boolean acceptsResults() {
    return !isDecided() && hasObserver();
  }

  /// Whether a failure of a part would be made use of now.
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
    private int at = -1; // its place at the event; -1: not subscribed

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

  /// Stateless: what its parts are, it is.
  private static final class AnyOf extends CompositeEvent {
    private @Nullable EventSource last; // that fired in this wait

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

    // asking every part each time would be quadratic
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
      // the one that wakes; what fires after it, in the same look, is nobody's
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

  /// Passes a replay on under the composite's name.
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

    // the first one; a cancellation gives way
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
