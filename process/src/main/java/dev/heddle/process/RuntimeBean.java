// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.observe.attach.Feed;
import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.process.feed.RuntimeFeed;
import dev.heddle.process.feed.RuntimeFlight;
import dev.heddle.process.feed.RuntimeRecording;
import dev.heddle.process.host.HostInspector;
import dev.heddle.process.observe.RuntimeDump;
import dev.heddle.process.scheduler.WorkerPool;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// A runtime that has just started, for management tools and dumps.
final class RuntimeBean implements ProcessRuntimeMXBean {
  private final String name;
  private final HostInspector inspector;
  private final RuntimeFlight flight;
  private final long startNanos = System.nanoTime();

  RuntimeBean(String name, HostInspector inspector) {
    this.name = name;
    this.inspector = inspector;
    this.flight = new RuntimeFlight(inspector.workers(), name);
  }

  /// Begins or ends events of flight recordings, as these want them. **Thread** the one that
  /// reports, and before the workers start the one that starts them.
  void updateFlight() {
    flight.update();
  }

  /// A dump, with the stacks of steps and of waiting bodies.
  RuntimeDump takeDump() {
    return new RuntimeDump(
        name, uptime(), inspector.counters(), inspector.deadlocks(), inspector.withStacks());
  }

  /// The workers that run the processes.
  WorkerPool workers() {
    return inspector.workers();
  }

  private Duration uptime() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public int getProcesses() {
    return inspector.counters().processes();
  }

  @Override
  public long getStarted() {
    return inspector.counters().started();
  }

  @Override
  public long getExecuted() {
    return inspector.counters().executed();
  }

  @Override
  public long getUndelivered() {
    return inspector.counters().undelivered();
  }

  @Override
  public long getLateResults() {
    return inspector.counters().lateResults();
  }

  @Override
  public long getLongSteps() {
    return inspector.counters().longSteps();
  }

  @Override
  public long getUptimeMillis() {
    return uptime().toMillis();
  }

  @Override
  public int getAwakeWorkers() {
    return (int) inspector.counters().workers().stream().filter(worker -> !worker.asleep()).count();
  }

  @Override
  public int getWorkers() {
    return inspector.counters().workers().size();
  }

  @Override
  public long getQueueDelayMedianMicros() {
    return inspector.counters().queueDelay().percentile(0.5).toNanos() / 1_000;
  }

  @Override
  public long getQueueDelay99Micros() {
    return inspector.counters().queueDelay().percentile(0.99).toNanos() / 1_000;
  }

  @Override
  public String workerTable() {
    return RuntimeDump.workerTable(inspector.counters());
  }

  @Override
  public String table() {
    return inspector.snapshots().stream()
        .map(ProcessSnapshot::info)
        .collect(Collectors.joining("\n"));
  }

  @Override
  public String dump() {
    return takeDump().text();
  }

  @Override
  public String dumpJson() {
    return takeDump().json();
  }

  /// Begins a trace for one observer.
  Recording record() {
    return new RuntimeRecording(name, inspector, TraceRing.USUAL);
  }

  /// The feed of one observer.
  ///
  /// @param summary the row of the runtime itself
  Feed feed(Supplier<Map<String, String>> summary) {
    return new RuntimeFeed(summary, inspector);
  }
}
