// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.Cancellation;
import dev.heddle.Registration;
import dev.heddle.coroutine.tree.CancellableCoroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.ProgramFrames;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.observe.Dump;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.TimerEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Names coroutines that go on after they were cancelled and the grace period is over, once for
/// each place: where they were spawned and why they were cancelled, and where in the program they
/// stand. A server whose handlers all overrun at one line is told once.
///
/// Such a coroutine swallows its cancellation, or its clean-up takes long. From now on each of its
/// waits throws, which looks like a fault of the code that waits: so the operator is told why.
/// Stacks are read on the trampoline, the text is made and logged beside the loop.
public final class CancellationOverruns {
  private static final int MAX_REPORTED =
      256; // told by one loop; reasons may be as many as coroutines

  private final CoroutineTree tree;
  private final AsyncLog log;
  private final Set<String> reported = new HashSet<>();

  CancellationOverruns(CoroutineTree tree, AsyncLog log) {
    this.tree = tree;
    this.log = log;
  }

  /// A coroutine's grace period is over.
  public void gracePeriodEnded(CancellableCoroutine node, Cancellation unheeded) {
    if (reported.size() < MAX_REPORTED
        && node instanceof CoroutineNode<?> late
        && !tree.host().isPastDeadline()
        && late.shields() == 0 // what it waits for there is not cut
        && !late.isNamedOverdue()
        && reported.add(late.spawnSite() + ": " + unheeded.getMessage())) {
      tree.scheduler().runOnCarrier(() -> report(late, unheeded));
    }
  }

  private void report(CoroutineNode<?> late, Cancellation unheeded) {
    if (late.isDone() || late.isNamedOverdue()) {
      return;
    }
    late.nameOverdue();
    reported.add(siteOf(late));
    String who = late.describe();
    Dump dump = DumpTaker.takeOnly(tree, List.of(late));
    log.warning(() ->
        who
            + " was cancelled ("
            + unheeded.getMessage()
            + ") and has gone on for longer than the grace period of "
            + tree.options().gracePeriod()
            + "; each of its waits throws from now on. Let the cancellation end it: rethrow it"
            + " where exceptions are caught, or call Heddle.checkCancelled() there\n"
            + dump.text());
  }

  /// Some coroutine, or the loop, now waits for the cancelled members of a scope: those who have
  /// not ended by the end of the grace period are named, each once; the wait goes on.
  ///
  /// @return to be closed when the wait is over
  public Registration watch(ScopeNode scope) {
    return new GracePeriodWarning(scope);
  }

  private final class GracePeriodWarning implements InlineCallback, Registration {
    private final ScopeNode scope;
    private final TimerEvent grace = tree.daemonTimer(tree.options().gracePeriod());

    GracePeriodWarning(ScopeNode scope) {
      this.scope = scope;
      grace.subscribe(this);
      grace.start();
    }

    @Override
    public void close() {
      if (!tree.scheduler().hasEnded()) {
        grace.unsubscribe(this);
        grace.stop();
      }
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      tree.scheduler().runOnCarrier(this::warn); // stacks are read there
    }

    private void warn() {
      List<CoroutineNode<?>> late =
          scope.members().stream().filter(CancellationOverruns::isNews).toList();
      if (!late.isEmpty() && !tree.host().isPastDeadline()) {
        late.forEach(CoroutineNode::nameOverdue);
        reportNew(late, "the " + scope.describe());
      }
    }
  }

  private static boolean isNews(CoroutineNode<?> c) {
    return !c.isDone() && c.isCancelled() && !c.isNamedOverdue();
  }

  private void reportNew(List<CoroutineNode<?>> late, String whoWaits) {
    List<CoroutineNode<?>> news = new ArrayList<>();
    Set<String> sites = new HashSet<>();
    for (CoroutineNode<?> coroutine : late) {
      String site = coroutine.isDone() ? null : siteOf(coroutine);
      if (site != null && !reported.contains(site)) {
        sites.add(site);
        news.add(coroutine);
      }
    }
    if (news.isEmpty() || reported.size() >= MAX_REPORTED || tree.scheduler().hasEnded()) {
      return;
    }
    reported.addAll(sites);
    String who = news.size() == 1 ? "1 coroutine has" : news.size() + " coroutines have";
    Dump dump = DumpTaker.takeOnly(tree, news);
    log.warning(() ->
        who
            + " not ended within the grace period after being cancelled, and "
            + whoWaits
            + " waits\n"
            + dump.text());
  }

  // by the method: the line differs from one to the next in a loop
  private static String siteOf(CoroutineNode<?> coroutine) {
    var context = coroutine.context();
    String site =
        context == null ? null : ProgramFrames.site(ProgramFrames.of(context.stackOnLoop()));
    return site == null ? coroutine.spawnSite() : ProgramFrames.method(site);
  }
}
