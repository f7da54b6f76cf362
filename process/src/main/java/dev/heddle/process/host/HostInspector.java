// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.CompensationCounters;
import dev.heddle.process.LongStep;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessCounters;
import dev.heddle.process.ProcessDeadlock;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.WorkerCounters;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.observe.ProcessJfrEvents;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.UninterruptibleLog;
import dev.heddle.process.scheduler.WorkerPool;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The state of the processes of a host, for reports. Any thread.
///
/// Stacks are taken only on request: the stack of a step costs a handshake with its worker, and
/// that of a waiting body holds the body for some microseconds.
public final class HostInspector {
  private static final StackTraceElement[] NO_STACK = {};

  private final ProcessHost host;
  private final WorkerPool workers;
  private final Consumer<LongStep> handler;
  private final LongAdder longSteps = new LongAdder();
  private final DeadlockDetector detector;
  private final Consumer<ProcessDeadlock> deadlockHandler;
  private final LongAdder deadlocks = new LongAdder();

  /// @param handler is called with each step that lasts too long
  /// @param clock by which deadlocks last
  /// @param deadlockAfter how long processes must have waited for each other
  /// @param deadlockHandler is called with each deadlock
  public HostInspector(
      ProcessHost host,
      WorkerPool workers,
      Consumer<LongStep> handler,
      LongSupplier clock,
      Duration deadlockAfter,
      Consumer<ProcessDeadlock> deadlockHandler) {
    this.host = host;
    this.workers = workers;
    this.handler = handler;
    this.detector = new DeadlockDetector(host, workers, clock, deadlockAfter, this::deadlock);
    this.deadlockHandler = deadlockHandler;
  }

  /// The workers that run the processes.
  public WorkerPool workers() {
    return workers;
  }

  /// All processes, ordered by number, without stacks.
  public List<ProcessSnapshot> snapshots() {
    return sorted().map(process -> process.snapshot(NO_STACK, process.body())).toList();
  }

  /// All processes, ordered by number, with the stacks of steps and of waiting bodies.
  public List<ProcessSnapshot> withStacks() {
    Map<Task, StackTraceElement[]> steps = new HashMap<>();
    workers.forEachRunning(steps::put);
    return sorted().map(process -> withStack(process, steps.get(process))).toList();
  }

  /// The number of parts in which [#part] lists the processes.
  public int parts() {
    return ProcessTable.parts();
  }

  /// A part of the processes, for a look that must not read all of them at once.
  public List<ProcessInstance> part(int number) {
    return host.directory().part(number);
  }

  private Stream<ProcessInstance> sorted() {
    return host.directory().all().stream().sorted(Comparator.comparingLong(ProcessInstance::id));
  }

  /// One process, with the stack of its step, or of its body while that waits; null when there is
  /// none.
  public @Nullable ProcessSnapshot snapshot(Pid pid) {
    ProcessInstance process = host.directory().findProcess(pid);
    if (process == null || process.isEnded()) { // a PID may lead to one that has left the table
      return null;
    }
    return withStack(process, workers.stackOf(process));
  }

  private static ProcessSnapshot withStack(
      ProcessInstance process, StackTraceElement @Nullable [] ofStep) {
    FiberView body = process.body();
    if (ofStep == null && body != null) {
      return process.snapshot(body.stack(), body);
    }
    return process.snapshot(ofStep == null ? NO_STACK : ofStep, body);
  }

  public ProcessCounters counters() {
    List<WorkerCounters> perWorker = workers.counters();
    CompensationCounters compensation = workers.compensationCounters();
    return new ProcessCounters(
        host.directory().size(),
        host.starter().started(),
        perWorker.stream().mapToLong(WorkerCounters::executed).sum() + compensation.executed(),
        host.undelivered(),
        host.late(),
        longSteps.sum(),
        workers.delays(),
        deadlocks.sum(),
        compensation,
        perWorker);
  }

  /// Reports a step that lasts too long: counts and logs it, records it for a flight recording, and
  /// calls the handler.
  public void longStep(Task task, Thread worker, long nanos, StackTraceElement[] stack) {
    if (!(task instanceof ProcessInstance process)) {
      return;
    }
    longSteps.increment();
    String on = worker.getName();
    LongStep step =
        new LongStep(process.self(), process.kind(), on, Duration.ofNanos(nanos), List.of(stack));
    String failed = "the handler of long steps failed at " + step.pid();
    report(step, step.text(), ProcessJfrEvents::longStep, handler, failed);
  }

  /// Checks for processes that wait for each other. On the thread of reports.
  public void checkForDeadlocks() {
    detector.check();
  }

  /// Has the texts of failures made.
  public void writeFailures() {
    host.failures().write();
  }

  /// The last failures of processes that no other process deals with, the latest first.
  public List<ProcessFailures.Failure> failures() {
    return host.failures().recent();
  }

  /// How many of them there were so far.
  public long failureCount() {
    return host.failures().count();
  }

  /// How many texts of them were made so far: [#failures()] has a new one when this grows.
  public long failuresWritten() {
    return host.failures().written();
  }

  /// The deadlocks that were reported and still last.
  public List<ProcessDeadlock> deadlocks() {
    return detector.reported();
  }

  private void deadlock(ProcessDeadlock deadlock) {
    deadlocks.increment();
    String failed = "the handler of deadlocks failed";
    report(deadlock, deadlock.text(), ProcessJfrEvents::deadlock, deadlockHandler, failed);
  }

  private static <R> void report(
      R what, String text, Consumer<R> record, Consumer<R> handler, String failed) {
    UninterruptibleLog.write(Level.WARNING, text, null);
    if (ProcessJfrEvents.areRecorded()) {
      record.accept(what);
    }
    try {
      handler.accept(what);
    } catch (Throwable t) {
      UninterruptibleLog.write(Level.ERROR, failed, t);
    }
  }
}
