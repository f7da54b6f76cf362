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

/// A value that will be available later, seen by its readers; a [Promise] completes it.
///
/// Functions passed to [#map], [#recover] and [#onCompletion] each run in a short coroutine of the
/// loop: they may wait and take locks, and do not delay the coroutines that await this future.
///
/// **A failure is never silent**: if it is not observed (awaited, recovered from, ignored) before
/// the future is garbage or the loop ends, it is reported, once. A cancellation is not a failure.
///
/// **Thread** its loop's; for other threads call [#toCompletableFuture()] on the loop.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=future}
///
/// @param <T> the type of its value
/// @since 0.1
public final class Future<T extends @Nullable Object> implements Completable<T> {
  /*
   * States.  from       event               to         who
   *          PENDING    a value             SUCCEEDED  loop, also in a tick: promise, stage, source
   *          PENDING    a failure           FAILED     the same
   *          PENDING    cancel()            FAILED     the same; the failure is a Cancellation
   *          SUCCEEDED, a value, a failure, same       a promise throws, else no effect
   *          FAILED     cancel()
   *
   * Derived futures. map() and the like subscribe an inline callback, so coroutines that await the
   * source are notified at once; the user's function runs in a coroutine of its own. The source's
   * event holds the callback, and the callback the derived future. So the derived future is
   * completed even if the program has dropped the source. A derived future that is cancelled
   * unsubscribes. An outcome to which the function does not apply is passed on without a coroutine.
   *
   * Who observes a failure. The coroutines that wait when it arrives, and recover(). Otherwise it
   * is open (UnobservedOutcomes) until a later reader observes it. map() and onCompletion() pass on
   * the same throwable with the same ObservationToken, so observing one of these futures observes
   * all.
   *
   * I1. Every subscriber is notified once; late subscribers get a replay. [FutureTest]
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
  private final Object createdSite;

  // loop only
  private byte state = PENDING;
  private @Nullable FutureSource futureSource; // null: completed, or a promise will complete it
  private boolean used; // a reader has asked for it; false is only reported of promises
  private boolean ignored;
  private boolean withdrawn; // cancelled by a reader
  private @Nullable Object outcome; // the value or the failure
  private @Nullable Object completedSite;
  private @Nullable ObservationToken observation; // until the outcome is observed

  private Future(
      HomeLoop home,
      @Nullable String name,
      @Nullable Object code,
      @Nullable FutureSource futureSource,
      boolean used) {
    this.home = home;
    this.name = name;
    this.createdSite = home.futures().callSite(code);
    this.futureSource = futureSource;
    this.used = used;
    this.endEvent = new EndEvent();
  }

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
  /// @param whenCancelled called when a reader cancels the future, inside that call: it must
  ///   neither wait nor take a lock
  public static <T extends @Nullable Object> Future<T> of(
      Awaitable<T> source, Consumer<Cancellation> whenCancelled) {
    return of(null, source, whenCancelled, false);
  }

  /// The same, with a name for dumps and reports.
  public static <T extends @Nullable Object> Future<T> of(
      String name, Awaitable<T> source, Consumer<Cancellation> whenCancelled) {
    return of(name, source, whenCancelled, false);
  }

  /// The outcome of work that is done only for its awaiters: if the last coroutine that awaits it
  /// is cancelled, the future is cancelled, too. Else as [#of(Awaitable, Consumer)].
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

  /// Its end as an event. This call counts as using the future.
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
    EventSource end = EventSource.of(token); // checks the token even if this is complete
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

  private void awaitThrew(Throwable thrown) {
    if (thrown instanceof Cancellation c) {
      awaiterCancelled(c);
    } else if (thrown == outcome) {
      CrossThreadTraces.appendAwaiterTrace(thrown);
    }
  }

  /// Called when a coroutine that awaited it was cancelled, or when this future was.
  private void awaiterCancelled(Cancellation c) {
    if (futureSource == null || !futureSource.isForAwaiters() || endEvent.isAwaited()) {
      return;
    }
    try {
      cancel(c);
    } catch (Throwable e) { // the awaiter still gets its cancellation
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

  T value() {
    if (outcome instanceof Throwable failure && state == FAILED) {
      throw Rethrow.unchecked(failure);
    }
    return asResult(outcome);
  }

  /// A reader has asked for the outcome, which is enough to observe a value.
  private void markUsed() {
    used = true;
    if (state == SUCCEEDED) {
      observe();
    }
  }

  void observe() {
    used = true;
    if (observation != null) {
      observation.observe();
      observation = null;
    }
  }

  /// Declares that the outcome is not needed: neither a failure nor an unused value is reported.
  ///
  /// @return this
  public Future<T> ignore() {
    ignored = true;
    observe();
    return this;
  }

  // ---- derived futures ----

  /// A future of `mapper`'s result for the value. A failure is passed on to the derived future.
  public <R extends @Nullable Object> Future<R> map(Transform<? super T, ? extends R> mapper) {
    Objects.requireNonNull(mapper, "mapper");
    return derive(new DerivedStage.Mapping<>(this, derived(mapper), mapper));
  }

  /// A future of the value, or of `recovery`'s result for the failure, which is thereby observed. A
  /// cancellation of this future counts as a failure here.
  public Future<T> recover(Transform<? super Throwable, ? extends T> recovery) {
    Objects.requireNonNull(recovery, "recovery");
    return derive(new DerivedStage.Recovery<>(this, derived(recovery), recovery));
  }

  /// A future of the same outcome, completed when `handler` has run. If the handler throws, that is
  /// the outcome, and its report includes the failure that it replaces. This does not observe a
  /// failure.
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
    Label label = new Label(name, createdSite, "unknown");
    FutureExport<T> export = new FutureExport<>(this, home, this::observe, label);
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

  // ---- completion ----

  @Override
  public void cancel(String why) {
    cancel(new Cancellation(Objects.requireNonNull(why, "why")));
  }

  /// Cancels it: its awaiters get `c`. Its producer is notified where possible
  /// ([Promise#isCancelled()], a pool's task); a later result is dropped.
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

  /// Completes with the outcome of `other`, unchanged and with its ObservationToken.
  boolean adopt(Future<?> other) {
    return end(other.state, other.outcome, other.completedSite, other.observation, false);
  }

  /// @return false if it was complete already
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
    completedSite = at;
    futureSource = null; // else a chain of derived futures would retain all before it
    // before the notification: a derived future inherits it
    observation = first ? openObservation() : inherited;
    if (ignored || endEvent.hasObserver(how == FAILED)) {
      observe();
    }
    endEvent.notifySubscribers();
    return true;
  }

  private @Nullable ObservationToken openObservation() {
    Throwable failure = failure();
    boolean answered = failure == null ? used : isCancelled();
    if (answered || ignored || endEvent.hasObserver(failure != null)) {
      return null;
    }
    return home.futures().open(new Label(name, createdSite, site(completedSite)), failure);
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

  /// Where it was created: file and line. Of a promise that is not among the first few hundred of
  /// its loop, the coroutine that created it, and where that was spawned.
  public String createdSite() {
    return home.futures().describe(createdSite);
  }

  /// Where it was completed, in the form of [#createdSite()]; `unknown` before.
  public String completedSite() {
    return home.futures().describe(site(completedSite));
  }

  private static Object site(@Nullable Object site) {
    return site == null ? "unknown" : site;
  }

  HomeLoop home() {
    return home;
  }

  /// Its end as an event; this call does not count as using the future.
  EventSource endEvent() {
    return endEvent;
  }

  String describe() {
    return (name == null ? "a future" : "the future '" + name + "'")
        + " created at "
        + createdSite();
  }

  @Override
  public String toString() {
    return describe();
  }

  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // completed with a T
  private static <T extends @Nullable Object> T asResult(@Nullable Object value) {
    return (T) value;
  }

  // ---- events ----

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

    // not a daemon if another thread or the clock completes it: waits for it then keep the loop
    // alive
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

    void notifySubscribers() {
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

  /// Completes the future with the next outcome of another event. Until a coroutine awaits the
  /// future, the event is only started as a daemon.
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
      Future<?> waiting = future;
      future = null; // this is the site of completion, which must not hold the ObservationToken
      if (waiting == null) {
        return;
      }
      if (error != null) {
        waiting.fail(error, this);
      } else {
        event.onConsumed();
        waiting.succeed(result, this);
      }
    }

    /// Describes this source as the place of completion.
    @Override
    public String toString() {
      return "its source, " + event.info();
    }
  }
}
