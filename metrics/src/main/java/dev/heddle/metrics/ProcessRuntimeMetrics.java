// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import dev.heddle.process.ProcessCounters;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.WorkerCounters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/// The meters of a process runtime and its workers: `heddle.runtime.…` and `heddle.worker.…`, with
/// the tag `runtime`, which is the name of its host, and `worker`, the number of the worker.
/// `docs/how-to/export-metrics.md` lists them.
///
/// {@snippet class=dev.heddle.metrics.MetricsSnippetsTest region=runtime}
///
/// A reading runs on the thread that reads the registry. It reads what the workers have counted,
/// without a lock and without the workers: no reading waits, also while steps hold all workers. A
/// figure may lag a moment behind, and the figures of one scrape are of slightly different moments.
///
/// The delay of ready processes is that of a random sample, as [dev.heddle.process.QueueDelay] has
/// it, of the last one to two minutes by the registry's clock, or of the time since the last but
/// one scrape when that is longer.
///
/// The meters are removed when the shutdown of the runtime begins, or by [#close()]. Until then the
/// meters keep what they read alive, so no gauge becomes `NaN`.
///
/// **Thread** any. **Cost** none for the workers.
///
/// @since 0.1
public final class ProcessRuntimeMetrics implements MeterBinder, AutoCloseable {
  private static final List<Double> PERCENTILES = List.of(0.5, 0.99);

  private final ProcessRuntime runtime;
  private final Tags tags;
  private final BoundMeters bound;

  /// Meters with the tags `runtime` and `worker` only.
  public ProcessRuntimeMetrics(ProcessRuntime runtime) {
    this(runtime, Tags.empty());
  }

  /// Meters with further tags, which tell runtimes of the same name apart.
  public ProcessRuntimeMetrics(ProcessRuntime runtime, Iterable<Tag> tags) {
    String name = runtime.mxBean().getName();
    this.runtime = runtime;
    this.tags = Tags.concat(tags, "runtime", name);
    this.bound = new BoundMeters("the runtime '" + name + "'");
  }

  /// Registers the meters, or none if this is closed. It may be called for several registries.
  ///
  /// @throws IllegalStateException when the registry already has meters of a runtime of this name
  ///   with these tags, which would stay those of the other runtime; or when the shutdown of the
  ///   runtime has begun
  @Override
  public void bindTo(MeterRegistry registry) {
    var meters = new MeterFactory<>(registry, bound, tags, runtime);
    meters.checkUnused("heddle.runtime.live");
    bound.onClose(runtime.beforeShutdown(bound)::close);
    counts(meters);
    compensation(meters);
    delays(meters);
    for (WorkerCounters worker : runtime.workers()) {
      worker(meters, worker.number());
    }
  }

  private static void counts(MeterFactory<ProcessRuntime> meters) {
    meters.gauge(
        "heddle.runtime.live",
        "processes",
        "Processes that are alive",
        count(ProcessCounters::processes));
    meters.counter(
        "heddle.runtime.started",
        "processes",
        "Processes started",
        count(ProcessCounters::started));
    meters.counter(
        "heddle.runtime.runs",
        "runs",
        "Runs of processes; a run is several steps without a break",
        count(ProcessCounters::executed));
    meters.counter(
        "heddle.runtime.undelivered",
        "messages",
        "Messages and signals left in mailboxes when their processes ended",
        count(ProcessCounters::undelivered));
    meters.counter(
        "heddle.runtime.late.results",
        "results",
        "Results of commands that came when the process no longer waited for them",
        count(ProcessCounters::lateResults));
    meters.counter(
        "heddle.runtime.long.steps",
        "steps",
        "Steps that held a worker for too long",
        count(ProcessCounters::longSteps));
    meters.counter(
        "heddle.runtime.deadlocks",
        "deadlocks",
        "Deadlocks reported",
        count(ProcessCounters::deadlocks));
  }

  private static void compensation(MeterFactory<ProcessRuntime> meters) {
    meters.gauge(
        "heddle.runtime.compensating",
        "workers",
        "Compensating workers that run now",
        count(counters -> counters.compensation().running()));
    meters.counter(
        "heddle.runtime.compensating.started",
        "workers",
        "Compensating workers started",
        count(counters -> counters.compensation().started()));
    meters.counter(
        "heddle.runtime.compensating.runs",
        "runs",
        "Runs of processes on compensating workers",
        count(counters -> counters.compensation().executed()));
  }

  private static ToDoubleFunction<ProcessRuntime> count(ToDoubleFunction<ProcessCounters> of) {
    return runtime -> of.applyAsDouble(runtime.counters());
  }

  private void delays(MeterFactory<ProcessRuntime> meters) {
    meters.counter(
        "heddle.runtime.queue.delay.samples",
        "samples",
        "Delays of ready processes that were measured",
        count(counters -> counters.queueDelay().samples()));
    var window =
        new QueueDelayWindow(
            () -> runtime.counters().queueDelay(), meters.registry().config().clock());
    for (double part : PERCENTILES) {
      meters
          .of(window, tags.and("phi", Double.toString(part)))
          .time(
              "heddle.runtime.queue.delay.percentile",
              "How long ready processes have lately waited for a worker",
              TimeUnit.NANOSECONDS,
              delays -> delays.percentile(part));
    }
  }

  private void worker(MeterFactory<ProcessRuntime> ofRuntime, int number) {
    var meters = ofRuntime.of(runtime, tags.and("worker", Integer.toString(number)));
    meters.counter(
        "heddle.worker.runs", "runs", "Runs of tasks", count(number, WorkerCounters::executed));
    meters.counter(
        "heddle.worker.stolen",
        "tasks",
        "Tasks taken from other workers",
        count(number, WorkerCounters::stolen));
    meters.counter(
        "heddle.worker.parks",
        "parks",
        "How often the worker was parked",
        count(number, WorkerCounters::parks));
    meters.gauge(
        "heddle.worker.queued",
        "tasks",
        "Tasks in the worker's deque",
        count(number, WorkerCounters::queued));
    meters.gauge(
        "heddle.worker.awake",
        "workers",
        "1 while the worker is not parked, else 0",
        count(number, worker -> worker.asleep() ? 0 : 1));
  }

  private static ToDoubleFunction<ProcessRuntime> count(
      int number, ToDoubleFunction<WorkerCounters> of) {
    return runtime -> of.applyAsDouble(runtime.workers().get(number));
  }

  /// Removes the meters from all registries. Nothing is bound afterwards. Does nothing a second
  /// time.
  @Override
  public void close() {
    bound.close();
  }
}
