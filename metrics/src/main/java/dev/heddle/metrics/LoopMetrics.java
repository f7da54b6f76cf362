// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import dev.heddle.Loop;
import dev.heddle.observe.LoopMXBean;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;

/// The meters of a loop: `heddle.loop.…`, with the tag `loop`, which is the name of the loop.
/// `docs/how-to/export-metrics.md` lists them.
///
/// {@snippet class=dev.heddle.metrics.MetricsSnippetsTest region=loop}
///
/// A reading runs on the thread that reads the registry. It reads the fields that the loop counts
/// in, without a lock and without the loop, so no reading waits, also while a coroutine holds it. A
/// figure may lag slightly behind the loop, and the figures of one scrape are of slightly different
/// moments. Those of a loop that sleeps are exact.
///
/// The loop's thread removes the meters when the loop has its result; a thread that was in
/// [Loop#join()] may see them a moment longer. [#close()] removes them before that. Until then they
/// keep what they read alive, so no gauge becomes `NaN`.
///
/// **Thread** any. **Cost** none for the loop.
///
/// @since 0.1
public final class LoopMetrics implements MeterBinder, AutoCloseable {
  private static final String COROUTINES = "coroutines"; // unit

  private final Loop<?> loop;
  private final Tags tags;
  private final BoundMeters bound = new BoundMeters("the loop");

  /// Meters with the tag `loop` only.
  public LoopMetrics(Loop<?> loop) {
    this(loop, Tags.empty());
  }

  /// Meters with further tags, which tell loops of the same name apart.
  public LoopMetrics(Loop<?> loop, Iterable<Tag> tags) {
    this.loop = loop;
    this.tags = Tags.of(tags);
  }

  /// Registers the meters, or none if the loop has ended or this is closed. It may be called for
  /// several registries. Blocks, or suspends a coroutine of another loop, until the loop has begun.
  ///
  /// @throws IllegalStateException when the registry already has meters of a loop of this name with
  ///   these tags, which would stay those of the other loop
  @Override
  public void bindTo(MeterRegistry registry) {
    LoopMXBean bean = loop.mxBean();
    var meters = new MeterFactory<>(registry, bound, tags.and("loop", bean.getName()), bean);
    meters.checkUnused("heddle.loop.live");
    coroutines(meters);
    counts(meters);
    meters.time(
        "heddle.loop.held",
        "How long the coroutine that holds the loop has held it; 0 when none does",
        TimeUnit.MILLISECONDS,
        LoopMXBean::getHeldMillis);
    meters.time(
        "heddle.loop.uptime",
        "Time since the loop began",
        TimeUnit.MILLISECONDS,
        LoopMXBean::getUptimeMillis);
    var _ = loop.result().whenComplete((_, _) -> bound.close());
  }

  private static void coroutines(MeterFactory<LoopMXBean> meters) {
    meters.gauge(
        "heddle.loop.live",
        COROUTINES,
        "Coroutines that have not ended",
        LoopMXBean::getCoroutines);
    meters.gauge(
        "heddle.loop.ready",
        COROUTINES,
        "Coroutines that are ready, including those not started",
        LoopMXBean::getReady);
    meters.gauge(
        "heddle.loop.waiting",
        COROUTINES,
        "Coroutines that wait in Heddle",
        LoopMXBean::getWaiting);
    meters.gauge(
        "heddle.loop.foreign",
        COROUTINES,
        "Coroutines that the JDK has parked",
        LoopMXBean::getForeign);
    meters.gauge("heddle.loop.timers", "timers", "Armed timers", LoopMXBean::getTimers);
  }

  private static void counts(MeterFactory<LoopMXBean> meters) {
    meters.counter(
        "heddle.loop.switches",
        "switches",
        "Mounts of an execution context on the loop's thread",
        LoopMXBean::getSwitches);
    meters.counter(
        "heddle.loop.retried",
        "switches",
        "Mounts among these that the JDK refused during a thread dump, each of them retried",
        LoopMXBean::getRetriedMounts);
    meters.counter(
        "heddle.loop.self.resumes",
        "resumes",
        "Suspensions without a switch, because the same coroutine was the next",
        LoopMXBean::getSelfResumes);
    meters.counter(
        "heddle.loop.reused.starts",
        "starts",
        "Coroutines that started on a finished one's context, without a switch",
        LoopMXBean::getReusedStarts);
    meters.counter(
        "heddle.loop.immediate.waits",
        "waits",
        "Waits that ended while they were armed, without a switch",
        LoopMXBean::getImmediateWaits);
    meters.counter(
        "heddle.loop.contexts",
        "contexts",
        "Execution contexts that the loop has created",
        LoopMXBean::getContexts);
    meters.counter(
        "heddle.loop.polls", "polls", "Non-blocking polls of the reactor", LoopMXBean::getPolls);
    meters.counter(
        "heddle.loop.sleeps",
        "sleeps",
        "Blocking polls of the reactor, until an event or a due timer",
        LoopMXBean::getSleeps);
  }

  /// Removes the meters from all registries. Nothing is bound afterwards. Does nothing a second
  /// time.
  @Override
  public void close() {
    bound.close();
  }
}
