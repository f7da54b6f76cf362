// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.context.ForeignWaits;
import org.jspecify.annotations.Nullable;

/// What most coroutines never need, kept apart so that a million parked ones do not pay for it.
///
/// Made by [CancellableCoroutine#coldState()] at first use and kept until the coroutine is garbage.
/// Plain state of its owner; the rules are in [CancelRegion] and [CoroutineNode].
final class ColdState {
  // being cancelled
  boolean overdue; // cancelled, not ended in time, and named for that
  boolean interruptPending; // one is to be sent on the trampoline
  boolean interruptSent; // and the flag may be left of it
  @Nullable TimerEvent interruptPause; // until then none is sent
  ForeignWaits.End interruptEnd =
      ForeignWaits.End.STILL_WAITING; // of the last one, until it is settled
  @Nullable CancelRegion interruptedFor; // whose request the last interrupt has delivered
  int shieldDepth; // nested protect blocks
  int uninterruptibleDepth; // nested blocks that ask for it
  int undelivered; // regions with something to deliver
  @Nullable CancelRegion own; // the whole body
  @Nullable CancelRegion innermost; // blocks inside it

  // the innermost scope it has opened; null: the scope it is a member of
  @Nullable ScopeNode currentScope;

  // whose handlers it runs: that scope does not end before it
  @Nullable ScopeNode serves;

  @Nullable Completions<Coroutine<?>> completions;
  @Nullable ContextNode values;
  @Nullable SwitchHandlers handlers;
  @Nullable AtomicSection section; // the innermost it is in
}
