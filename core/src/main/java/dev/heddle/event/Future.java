// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.Transform;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.event.source.UnobservedOutcomes.Label;
import dev.heddle.event.source.UnobservedOutcomes.ObservationToken;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A value that will be there later, as its readers see it; a [Promise] is how it comes to be.
///
/// Functions passed to [#map], [#recover] and [#onCompletion] run as short coroutines of the loop,
/// one each: they may wait and take locks, and delay nobody who awaits this future.
///
/// **A failure is never silent**: one that nobody has taken (awaited, recovered from, ignored) when
/// the future is garbage, or the loop ends, is reported, once. A cancellation is no failure.
///
/// **Thread** its loop's; from elsewhere use [#toCompletableFuture()], taken on the loop.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=future}
///
/// @param <T> what it succeeds with
/// @since 0.1
public final class Future<T extends @Nullable Object> implements Completable<T> {
  /*
   * States.  from               event                        to         who
   *          PENDING            a value                      SUCCEEDED  loop, perhaps in a tick: promise, derivation, source
   *          PENDING            a failure, cancel()          FAILED     the same; one that is cancelled failed with a Cancellation
   *          SUCCEEDED, FAILED  a value, a failure, cancel() same       refused by the promise, else without effect
   *
   * Derived futures. map() and its like subscribe an inline callback, so that those who await the
   * source are told at once; the user's function runs in a coroutine of its own. The source's event
   * holds the callback, and that the derived future: it resolves whoever has let go of the source.
   * One that is cancelled leaves it. An outcome that the function is not for is passed on without a
   * coroutine.
   *
   * Whose failure is it. Of those who wait when it comes, and of recover(). Else it is open
   * (UnobservedOutcomes), for whoever comes later. map() and onCompletion() hand on the same
   * throwable with the same ObservationToken: taken from one of them, it is taken.
   *
   * I1. Every subscriber is told once, and latecomers get a replay. [FutureTest]
   * I2. No user code runs where a future completes. [FutureTest]
   *
   * Sources. loop-144 to loop-156.
   */
  private static final byte PENDING = 0;
  private static final byte SUCCEEDED = 1;
  private static final byte FAILED = 2;

  private final HomeLoop home;
  private final EndEvent endEvent;
  private final @Nullable String name;
  private final Object createdAt;

  // loop only
  private byte state = PENDING;
  private @Nullable FutureSource futureSource; // null: completed, or to be by a promise
  private boolean used; // somebody asked for it; that nobody did is reported of a promise only
  private boolean ignored;
  private boolean withdrawn; // cancelled by a reader
  private @Nullable Object outcome; // the value, or what it failed with
  private @Nullable Object completedAt;
  private @Nullable ObservationToken observation; // while nobody has taken the outcome

  private Future(
      HomeLoop home,
      @Nullable String name,
      @Nullable Object code,
      @Nullable FutureSource futureSource,
      boolean used) {
    this.home = home;
    this.name = name;
    this.createdAt = home.futures().callSite(code);
    this.futureSource = futureSource;
    this.used = used;
    this.endEvent = new EndEvent();
  }

  /// A future that a promise completes.
  static <T extends @Nullable Object> Future<T> promised(HomeLoop home, @Nullable String name) {
    UnobservedOutcomes.prepare();
    return new Future<>(home, name, null, null, false);
  }

  /// The next outcome of something else that can be awaited, as a future, which waits for it from
  /// now on. A failure is then the future's.
  public static <T extends @Nullable Object> Future<T> of(Awaitable<T> source) {
    return of(source, _ -> {});
  }

  /// The next outcome of something else that can be awaited, as a future, which waits for it from
  /// now on. A failure is then the future's.
  ///
  /// @param whenCancelled told when a reader cancels the future; runs inside that call, so it
  ///   neither waits nor takes a lock
  public static <T extends @Nullable Object> Future<T> of(
      Awaitable<T> source, Consumer<Cancellation> whenCancelled) {
    return of(null, source, whenCancelled, false);
  }

  /// The same, with a name for dumps and reports.
  public static <T extends @Nullable Object> Future<T> of(
      String name, Awaitable<T> source, Consumer<Cancellation> whenCancelled) {
    return of(name, source, whenCancelled, false);
  }

  /// The outcome of work that is done for whoever awaits it: when the last coroutine that does is
  /// cancelled, so is the future. Else as [#of(Awaitable, Consumer)].
  public static <T extends @Nullable Object> Future<T> ofWork(
      Awaitable<T> work, Consumer<Cancellation> whenCancelled) {
    return of(null, work, whenCancelled, true);
  }

  /// The same, with a name for dumps and reports.
  public static <T extends @Nullable Object> Future<T> ofWork(
      String name, Awaitable<T> work, Consumer<Cancellation> whenCancelled) {
    return of(name, work, whenCancelled, true);
  }

  private static <T extends @Nullable Object> Future<T> of(
      @Nullable String name,
      Awaitable<T> source,
      Consumer<Cancellation> whenCancelled,
      boolean forAwaiters) {
    Objects.requireNonNull(whenCancelled, "whenCancelled");
    EventSource event = EventSource.of(source);
    event.home().checkOnLoop();
    UnobservedOutcomes.prepare();
    AwaitableSource from = new AwaitableSource(event, whenCancelled, forAwaiters);
    Future<T> future = new Future<>(event.home(), name, null, from, true);
    from.bind(future);
    return future;
  }

  // ---- waiting ----

  /// Its end. Asking for it counts as using the future.
  @Override
  public Event event() {
    return awaited();
  }

  private EventSource awaited() {
    markUsed();
    return endEvent;
  }

  @Override
  public T await() {
    if (isDone()) {
      return observedValue();
    }
    try {
      return asResult(home.await(awaited()));
    } catch (Throwable e) {
      awaitThrew(e);
      throw e;
    }
  }

  @Override
  public T await(Deadline deadline) {
    if (isDone()) {
      return observedValue();
    }
    try {
      return asResult(home.await(awaited(), deadline));
    } catch (Throwable e) {
      awaitThrew(e);
      throw e;
    }
  }

  @Override
  public T await(Awaitable<?> token) {
    EventSource end = EventSource.of(token); // a use of the token, needed or not
    if (isDone()) {
      return observedValue();
    }
    try {
      return asResult(home.await(awaited(), end));
    } catch (Throwable e) {
      awaitThrew(e);
      throw e;
    }
  }

  /// A wait for it has thrown something, its own failure or not.
  private void awaitThrew(Throwable thrown) {
    if (thrown instanceof Cancellation c) {
      awaiterCancelled(c);
    } else if (thrown == outcome) {
      CrossThreadTraces.appendAwaiterTrace(thrown);
    }
  }

  /// A coroutine that awaited it was cancelled, or it was itself.
  private void awaiterCancelled(Cancellation c) {
    if (futureSource == null || !futureSource.isForAwaiters() || endEvent.isAwaited()) {
      return;
    }
    try {
      cancel(c);
    } catch (Throwable e) { // the awaiter gets its cancellation all the same
      FailureTable.throwIfFatal(e);
      home.futures().unobserved("the cancellation callback failed, of " + this, e);
    }
  }

  private T observedValue() {
    observe();
    if (outcome instanceof Throwable failure && state == FAILED) {
      CrossThreadTraces.appendAwaiterTrace(failure);
    }
    return value();
  }

  /// The value, or the failure, thrown.
  T value() {
    if (outcome instanceof Throwable failure && state == FAILED) {
      throw Rethrow.unchecked(failure);
    }
    return asResult(outcome);
  }

  /// Somebody is interested; a value needs no more.
  private void markUsed() {
    used = true;
    if (state == SUCCEEDED) {
      observe();
    }
  }

  /// Somebody has the outcome.
  void observe() {
    used = true;
    if (observation != null) {
      observation.observe();
      observation = null;
    }
  }

  /// Says that nobody needs the outcome: neither a failure nor an unused value is reported.
  ///
  /// @return this
  public Future<T> ignore() {
    ignored = true;
    observe();
    return this;
  }

  // ---- what is derived from it ----

  /// What `mapper` makes of the value. A failure passes by and goes to the derived future.
  public <R extends @Nullable Object> Future<R> map(Transform<? super T, ? extends R> mapper) {
    Objects.requireNonNull(mapper, "mapper");
    return derive(new DerivedStage.Mapping<>(this, derived(mapper), mapper));
  }

  /// The value, or what `recovery` makes of the failure, which it takes by that. That this future
  /// was cancelled is a failure here.
  public Future<T> recover(Transform<? super Throwable, ? extends T> recovery) {
    Objects.requireNonNull(recovery, "recovery");
    return derive(new DerivedStage.Recovery<>(this, derived(recovery), recovery));
  }

  /// The same outcome, once `handler` has run. If the handler throws, that is the outcome; a
  /// failure that it takes the place of is found in its report. It takes no failure itself.
  public Future<T> onCompletion(Action handler) {
    Objects.requireNonNull(handler, "handler");
    return derive(new DerivedStage.Completion<>(this, derived(handler), handler));
  }

  private <R extends @Nullable Object> Future<R> derived(Object code) {
    home.checkOnLoop();
    return new Future<>(home, null, code, null, true);
  }

  private <R extends @Nullable Object> Future<R> derive(DerivedStage<T, R> derivedStage) {
    markUsed();
    Future<R> derived = derivedStage.derived;
    derived.futureSource = derivedStage;
    derivedStage.subscribe();
    return derived;
  }

  @Override
  public CompletableFuture<T> toCompletableFuture() {
    home.checkOnLoop();
    FutureExport<T> export = new FutureExport<>(this, new Label(name, createdAt, "unknown"));
    if (isDone()) {
      export.deliver();
    } else {
      used = true;
      home.futures().add(export);
      endEvent.subscribe(export);
      endEvent.start();
    }
    return export.exported;
  }

  // ---- how it ends ----

  @Override
  public void cancel(String why) {
    cancel(new Cancellation(Objects.requireNonNull(why, "why")));
  }

  /// Cancels it: those who await it get `c`. Whoever was to complete it is told where it can be
  /// told ([Promise#isCancelled()], a pool's task), and what it brings is dropped.
  @Override
  public void cancel(Cancellation c) {
    Objects.requireNonNull(c, "cancellation");
    home.checkOnLoop();
    used = true;
    if (!isDone()) {
      home.requireStack();
      FutureSource from = futureSource;
      withdrawn = true;
      fail(c, home.futures().callSite(null));
      if (from != null) {
        from.withdraw(c);
      }
    }
  }

  boolean succeed(@Nullable Object value, Object at) {
    return end(SUCCEEDED, value, at, null, true);
  }

  boolean fail(Throwable failure, Object at) {
    return end(FAILED, CoroutineException.of(failure), at, null, true);
  }

  /// Ends as `other` has, with no function in between: whose failure it is does not change.
  boolean adopt(Future<?> other) {
    return end(other.state, other.outcome, other.completedAt, other.observation, false);
  }

  /// @return false when it has ended already
  private boolean end(
      byte how,
      @Nullable Object what,
      @Nullable Object at,
      @Nullable ObservationToken inherited,
      boolean first) {
    if (isDone()) {
      return false;
    }
    state = how;
    outcome = what;
    completedAt = at;
    futureSource = null; // or a chain of derived futures would hold all before it
    // before anybody is told: a derived future inherits it
    observation = first ? openObservation() : inherited;
    if (ignored || endEvent.hasObserver(how == FAILED)) {
      observe();
    }
    endEvent.tell();
    return true;
  }

  private @Nullable ObservationToken openObservation() {
    Throwable failure = failure();
    boolean answered = failure == null ? used : isCancelled();
    if (answered || ignored || endEvent.hasObserver(failure != null)) {
      return null;
    }
    return home.futures().open(new Label(name, createdAt, site(completedAt)), failure);
  }

  // ---- views ----

  @Override
  public boolean isDone() {
    return state != PENDING;
  }

  /// Whether it was cancelled, or completed with a [Cancellation].
  @Override
  public boolean isCancelled() {
    return state == FAILED && outcome instanceof Cancellation;
  }

  /// Whether a reader has cancelled it.
  boolean isWithdrawn() {
    return withdrawn;
  }

  @Override
  public @Nullable T result() {
    return state == SUCCEEDED ? Future.<@Nullable T>asResult(outcome) : null;
  }

  @Override
  public @Nullable Throwable failure() {
    return state == FAILED ? (Throwable) outcome : null;
  }

  /// Where it was created: file and line with `heddle.sites=exact`, else the class of the code that
  /// did it.
  public String createdAt() {
    return home.futures().describe(createdAt);
  }

  /// Where it was completed, as [#createdAt()] has it; `unknown` before.
  public String completedAt() {
    return home.futures().describe(site(completedAt));
  }

  private static Object site(@Nullable Object site) {
    return site == null ? "unknown" : site;
  }

  HomeLoop home() {
    return home;
  }

  /// Its end; to ask for it is no use.
  EventSource endEvent() {
    return endEvent;
  }

  /// What it is, for errors and dumps.
  String describe() {
    return (name == null ? "a future" : "the future '" + name + "'") + " created at " + createdAt();
  }

  @Override
  public String toString() {
    return describe();
  }

  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // completed with a T
  private static <T extends @Nullable Object> T asResult(@Nullable Object value) {
    return (T) value;
  }

  // ---- its event, and what is subscribed to those of others ----

  /// The end of this future, as an event.
  private final class EndEvent extends EventSource {
    EndEvent() {
      super(home);
    }

    @Override
    public boolean isClosed() {
      return isDone();
    }

    @Override
    public Collection<? extends Awaitable<?>> holders() {
      return futureSource == null ? List.of() : futureSource.event.holders();
    }

    // not hidden where another thread, or the clock, completes it: who waits for it then counts
    @Override
    public boolean isDaemon() {
      return futureSource == null || futureSource.isDaemon();
    }

    boolean isAwaited() {
      return isStarted() || hasObserver();
    }

    @Override
    protected void onObserversGone() {
      observation = openObservation();
    }

    void tell() {
      settled();
      fire(result(), failure());
    }

    @Override
    public void replay(EventCallback callback) {
      if (!isDone()) {
        super.replay(callback);
      }
      if (InlineCallback.accepts(callback)) {
        observe();
      }
      callback.onEvent(this, result(), failure());
    }

    @Override
    public String info() {
      return describe();
    }
  }

  /// Brings the next outcome of another event, which does not count before somebody awaits the
  /// future.
  private static final class AwaitableSource extends FutureSource {
    private final Consumer<Cancellation> whenCancelled;
    private final boolean forAwaiters;
    private @Nullable Future<?> future;

    AwaitableSource(EventSource event, Consumer<Cancellation> whenCancelled, boolean forAwaiters) {
      super(event);
      this.whenCancelled = whenCancelled;
      this.forAwaiters = forAwaiters;
    }

    void bind(Future<?> waiting) {
      future = waiting;
      subscribe();
    }

    @Override
    void arm() {
      event.startDaemon();
    }

    @Override
    void disarm() {
      event.stopDaemon();
    }

    @Override
    void withdraw(Cancellation c) {
      unsubscribe();
      whenCancelled.accept(c);
    }

    @Override
    boolean isDaemon() {
      return event.isDaemon();
    }

    @Override
    boolean isForAwaiters() {
      return forAwaiters;
    }

    @Override
    public boolean accepts() {
      return future != null && !future.isDone();
    }

    @Override
    public void onEvent(Event fired, @Nullable Object result, @Nullable Throwable error) {
      unsubscribe();
      if (future == null) {
        return;
      }
      if (error != null) {
        future.fail(error, this);
      } else {
        event.onConsumed();
        future.succeed(result, this);
      }
    }

    /// As a place of completion.
    @Override
    public String toString() {
      return "its source, " + event.info();
    }
  }
}
