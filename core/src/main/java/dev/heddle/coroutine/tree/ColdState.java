// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.context.ForeignWaits;
import org.jspecify.annotations.Nullable;

/// State that most coroutines never need, kept apart so that a million parked ones do not pay for
/// it.
///
/// Created by [CancellableCoroutine#coldState()] at the first use, and kept until the coroutine is
/// garbage. Plain state of its owner; the rules are in [CancelRegion] and [CoroutineNode].
final class ColdState {
  // being cancelled
  boolean overdue; // named in the log: not ended in time
  boolean interruptPending; // will be sent on the trampoline
  boolean interruptSent; // the flag may still be set
  @Nullable TimerEvent interruptPause; // none is sent before it fires
  ForeignWaits.End interruptEnd =
      ForeignWaits.End.STILL_WAITING; // of the last interrupt, until it is decided
  @Nullable CancelRegion interruptedFor; // the region of the last interrupt
  int shieldDepth; // nested shields
  int uninterruptibleDepth; // nested blocks
  int undelivered; // regions with a pending request
  @Nullable CancelRegion own; // the whole body
  @Nullable CancelRegion innermost; // blocks inside it

  // the innermost scope it has opened; null: the scope it is a member of
  @Nullable ScopeNode currentScope;

  // the scope whose handlers it runs; that scope does not end before it
  @Nullable ScopeNode serves;

  @Nullable Completions<Coroutine<?>> completions;
  @Nullable ContextNode values;
  @Nullable SwitchHandlers handlers;
  @Nullable AtomicSection section; // the innermost
}
