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

/// Reports coroutines that still run after they were cancelled and the grace period is over.
/// Reports each place once: spawn site, reason of the cancellation, and current position. For a
/// server whose handlers all overrun at one line that is one report.
///
/// Such a coroutine swallows its cancellation, or its clean-up takes long. From then on each of its
/// waits throws, which looks like a fault of the waiting code; so the operator is told the reason.
/// Stacks are read on the trampoline; the text is formatted and logged on another thread.
public final class CancellationOverruns {
  private static final int MAX_REPORTED =
      256; // reports of one loop; every coroutine may have its own reason

  private final CoroutineTree tree;
  private final AsyncLog log;
  private final Set<String> reported = new HashSet<>();

  CancellationOverruns(CoroutineTree tree, AsyncLog log) {
    this.tree = tree;
    this.log = log;
  }

  public void gracePeriodEnded(CancellableCoroutine node, Cancellation unheeded) {
    if (reported.size() < MAX_REPORTED
        && node instanceof CoroutineNode<?> late
        && !tree.host().isPastDeadline()
        && late.shields() == 0 // a shielded wait is not cancelled
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
            + ") and has run for longer than the grace period of "
            + tree.options().gracePeriod()
            + "; each of its waits throws from now on. Let the cancellation end it: rethrow it"
            + " where exceptions are caught, or call Heddle.checkCancelled() there\n"
            + dump.text());
  }

  /// Called when a coroutine, or the loop, begins to wait for the cancelled members of a scope:
  /// those that have not ended by the end of the grace period are named, each once; the wait
  /// continues.
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
      tree.scheduler().runOnCarrier(this::warn); // stacks can be read there
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

  // by the method: in a loop the line differs from time to time
  private static String siteOf(CoroutineNode<?> coroutine) {
    var context = coroutine.context();
    String site =
        context == null ? null : ProgramFrames.site(ProgramFrames.of(context.stackOnLoop()));
    return site == null ? coroutine.spawnSite() : ProgramFrames.method(site);
  }
}
