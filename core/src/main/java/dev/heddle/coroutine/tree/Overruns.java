// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.observe.Dump;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Names coroutines that go on after they were cancelled and the grace period is over, once for
/// each place: where they were spawned and why they were cancelled, and where in the program they
/// stand. A server whose handlers all overrun at one line is told once.
///
/// Such a coroutine swallows its cancellation, or its clean-up takes long. From now on each of its
/// waits throws, which looks like a fault of the code that waits: so the operator is told why.
/// Stacks are read on the trampoline, the text is made and logged beside the loop.
final class Overruns {
  private static final int MOST = 256; // told by one loop; reasons may be as many as coroutines

  private final LoopRoot loop;
  private final Set<String> told = new HashSet<>();

  Overruns(LoopRoot loop) {
    this.loop = loop;
  }

  /// A coroutine's grace period is over.
  void noticed(CancellableNode node, Cancellation unheeded) {
    if (told.size() < MOST
        && node instanceof CoroutineNode<?> late
        && !loop.isPastDeadline()
        && !late.isShielded() // what it waits for there is not cut
        && !late.rare().overdue
        && told.add(late.spawnSite() + ": " + unheeded.getMessage())) {
      loop.scheduler().onTrampoline(() -> tell(late, unheeded));
    }
  }

  private void tell(CoroutineNode<?> late, Cancellation unheeded) {
    if (late.isDone() || late.rare().overdue) {
      return;
    }
    late.rare().overdue = true;
    told.add(siteOf(late));
    String who = late.describe();
    Dump dump = DumpTaker.takeOnly(loop, List.of(late));
    loop.log()
        .warning(() ->
            who
                + " was cancelled ("
                + unheeded.getMessage()
                + ") and has gone on for longer than the grace period of "
                + loop.options().gracePeriod()
                + "; each of its waits throws from now on. Let the cancellation end it: rethrow it"
                + " where exceptions are caught, or call Heddle.checkCancelled() there\n"
                + dump.text());
  }

  /// Somebody waits for these, whose grace period is over: names those that stand where none has
  /// been named. Called on the loop.
  ///
  /// @param whoWaits in words
  void waitedFor(List<CoroutineNode<?>> late, String whoWaits) {
    loop.scheduler().onTrampoline(() -> tellNews(late, whoWaits));
  }

  private void tellNews(List<CoroutineNode<?>> late, String whoWaits) {
    List<CoroutineNode<?>> news = new ArrayList<>();
    Set<String> sites = new HashSet<>();
    for (CoroutineNode<?> coroutine : late) {
      String site = coroutine.isDone() ? null : siteOf(coroutine);
      if (site != null && !told.contains(site)) {
        sites.add(site);
        news.add(coroutine);
      }
    }
    if (news.isEmpty() || told.size() >= MOST || loop.scheduler().hasEnded()) {
      return;
    }
    told.addAll(sites);
    String who = news.size() == 1 ? "1 coroutine has" : news.size() + " coroutines have";
    Dump dump = DumpTaker.takeOnly(loop, news);
    loop.log()
        .warning(() ->
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
