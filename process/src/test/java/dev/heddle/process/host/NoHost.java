// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.ProcessEnvironment;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.instance.StepOutputAccess;
import dev.heddle.process.links.NameRegistry;
import dev.heddle.process.scheduler.IdleScheduler;
import dev.heddle.process.scheduler.WorkScheduler;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The environment of processes that are never run: it gives them what their creation needs.
final class NoHost implements ProcessEnvironment {
  private final WorkScheduler scheduler = IdleScheduler.create();

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("the process is not run");
  }

  @Override
  public WorkScheduler scheduler() {
    return scheduler;
  }

  @Override
  public Dispatcher dispatcher() {
    throw unused();
  }

  @Override
  public NameRegistry names() {
    throw unused();
  }

  @Override
  public ProcessContext contextOf(ProcessLifecycle process) {
    throw unused();
  }

  @Override
  public void monitor(ProcessLifecycle watcher, Pid target, LongConsumer known) {
    throw unused();
  }

  @Override
  public Process create(String source) {
    throw unused();
  }

  @Override
  public StepOutputAccess outputs() {
    throw unused();
  }

  @Override
  public @Nullable FiberView bodyOf(Process process) {
    throw unused();
  }

  @Override
  public boolean isClosed() {
    throw unused();
  }

  @Override
  public void recordUndelivered(ProcessLifecycle in, @Nullable Object content, boolean isMessage) {
    throw unused();
  }

  @Override
  public void displaced(ProcessLifecycle to, ProcessEvent event, @Nullable Object by) {
    throw unused();
  }

  @Override
  public void onLateResult() {
    throw unused();
  }

  @Override
  public void releaseSlot() {
    throw unused();
  }

  @Override
  public void ended(ProcessLifecycle process, Exit exit) {
    throw unused();
  }
}
