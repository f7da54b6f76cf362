// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.test.SeedInvocations.Ended;
import dev.heddle.test.SeedInvocations.Verdict;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Phases;
import dev.heddle.test.run.RunRecord;
import dev.heddle.test.run.SimulatedLoop;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.TestAbortedException;

/// One invocation of a test method, in a simulation that begins before its `@BeforeEach` methods
/// and ends after its `@AfterEach` methods.
///
/// A failure of the test is thrown at the end, by [#afterEach], with how to replay the run: only
/// then the schedule is complete.
final class SeedInvocation extends PhaseInterceptor
    implements TestTemplateInvocationContext, BeforeEachCallback, AfterEachCallback {
  private final SeedInvocations all;
  private final SimulationOptions options;
  private final Chooser chooser;
  private final String name;
  private final Phases phases = new Phases();
  private final CompletableFuture<RunRecord<@Nullable Void>> run = new CompletableFuture<>();
  private final List<TestRerun.Call> calls = new ArrayList<>();

  private boolean failed; // a call, or the loop
  private boolean timedOut; // by JUnit
  private @Nullable ClassLoader loader;
  private @Nullable FreshTest fresh; // null: the calls are made on JUnit's object
  private boolean hasInitialised; // during the run; written before that completes

  /// @param all takes note of the outcome
  SeedInvocation(SeedInvocations all, SimulationOptions options, Chooser chooser, String name) {
    this.all = all;
    this.options = options;
    this.chooser = chooser;
    this.name = name;
  }

  @Override
  public String getDisplayName(int invocationIndex) {
    return name;
  }

  @Override
  public List<Extension> getAdditionalExtensions() {
    return List.of(this);
  }

  // ---- the test's thread ----

  @Override
  public void beforeEach(ExtensionContext context) {
    loader = Thread.currentThread().getContextClassLoader();
    if (!options.freshClasses().isEmpty()) {
      ClassLoader own =
          new FreshClasses(options.freshClasses(), context.getRequiredTestClass()).newLoader();
      loader = own;
      fresh = new FreshTest(own);
    }
    Thread.ofPlatform().daemon().name("simulation-watch").start(this::simulate);
  }

  private void simulate() {
    try {
      long before = Runs.classes(options);
      RunRecord<@Nullable Void> record =
          Runs.withLoader(
              loader,
              () ->
                  SimulatedLoop.run(
                      options.loop(), options.seed(), chooser, Runs.limits(options), phases));
      hasInitialised = Runs.classes(options) != before;
      run.complete(record);
    } catch (Throwable e) {
      run.completeExceptionally(e);
    }
  }

  @Override
  void phase(
      Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> call, Kind kind)
      throws Exception {
    calls.add(new TestRerun.Call(call, kind));
    AtomicBoolean begun = new AtomicBoolean();
    if (!run.isDone() && (!failed || kind == Kind.AFTER)) {
      make(invocation, call, begun);
    }
    if (fresh != null || begun.compareAndSet(false, true)) {
      invocation.skip(); // the run has ended before; or JUnit's object has the classes of all runs
    }
  }

  private void make(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> call,
      AtomicBoolean begun)
      throws Exception {
    FreshTest test = fresh;
    CompletableFuture<@Nullable Throwable> outcome =
        phases.start(() -> {
          if (!begun.compareAndSet(false, true)) {
            return;
          }
          if (test == null) {
            proceed(invocation);
          } else {
            test.call(call);
          }
        });
    Object first = await(CompletableFuture.anyOf(outcome, run));
    failed |= first != null;
    if (first instanceof TestAbortedException aborted && !all.isWarmUp()) {
      throw aborted; // an assumption: the test neither fails nor succeeds
    }
    // other failures are those of the run
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    phases.end();
    SimulationResult<?> result =
        new SimulationResult<@Nullable Void>(options.seed(), await(run), options.checksLeaks())
            .asReplay(options);
    Ended ended = all.ended(result, hasInitialised);
    Verdict verdict = ended.verdict();
    result = ended.result();
    if (verdict == Verdict.DROPPED) {
      return;
    }
    publishCoverage(all, context);
    if (result.failure() != null && !(result.failure() instanceof TestAbortedException)) {
      FailureText text =
          verdict == Verdict.FIRST_FAILURE && isToBeShrunk(result)
              ? new TestRerun(options, calls).shrunk(result)
              : FailureText.of(result);
      throw text.error(
          TestName.of(context.getRequiredTestClass(), context.getRequiredTestMethod().getName()));
    }
  }

  // no time-out of JUnit would end the other runs, which may wait as long
  private boolean isToBeShrunk(SimulationResult<?> result) {
    return options.shrinks() && result.isShrinkable() && !timedOut;
  }

  private static void publishCoverage(SeedInvocations all, ExtensionContext context) {
    String coverage = all.coverage();
    if (coverage == null) {
      return;
    }
    context.publishReportEntry("schedules", coverage);
    if (!all.isComplete()) {
      AsyncLog.shared()
          .warning(
              "the exhaustive test %s is not complete: %s; raise its seeds"
                  .formatted(context.getRequiredTestMethod().getName(), coverage),
              null);
    }
  }

  // an interrupt of the test's thread is a time-out of JUnit: it stops the loop
  private <V extends @Nullable Object> V await(CompletableFuture<V> future) throws Exception {
    try {
      return future.get();
    } catch (InterruptedException e) {
      timedOut = true;
      String waiters = phases.describeWaiters();
      if (waiters != null) {
        e.addSuppressed(new AssertionError("interrupted while these waited:\n" + waiters));
      }
      phases.stop();
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulation itself has failed", e.getCause());
    }
  }
}
