// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.stream.Collectors;

/// The MBean of a runtime.
final class RuntimeBean implements ProcessRuntimeMXBean {
  private final ProcessRuntime runtime;
  private final String name;

  RuntimeBean(ProcessRuntime runtime, String name) {
    this.runtime = runtime;
    this.name = name;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public int getProcesses() {
    return runtime.counters().processes();
  }

  @Override
  public long getStarted() {
    return runtime.counters().started();
  }

  @Override
  public long getExecuted() {
    return runtime.counters().executed();
  }

  @Override
  public long getUndelivered() {
    return runtime.counters().undelivered();
  }

  @Override
  public long getLateResults() {
    return runtime.counters().lateResults();
  }

  @Override
  public long getLongSteps() {
    return runtime.counters().longSteps();
  }

  @Override
  public long getUptimeMillis() {
    return runtime.uptime().toMillis();
  }

  @Override
  public int getAwakeWorkers() {
    return (int) runtime.workers().stream().filter(worker -> !worker.asleep()).count();
  }

  @Override
  public int getWorkers() {
    return runtime.workers().size();
  }

  @Override
  public long getQueueDelayMedianMicros() {
    return runtime.counters().queueDelay().percentile(0.5).toNanos() / 1_000;
  }

  @Override
  public long getQueueDelay99Micros() {
    return runtime.counters().queueDelay().percentile(0.99).toNanos() / 1_000;
  }

  @Override
  public String workerTable() {
    return runtime.written().workerTable();
  }

  @Override
  public String table() {
    return runtime.processes().stream()
        .map(ProcessSnapshot::info)
        .collect(Collectors.joining("\n"));
  }

  @Override
  public String dump() {
    return runtime.dump();
  }

  @Override
  public String dumpJson() {
    return runtime.written().json();
  }
}
