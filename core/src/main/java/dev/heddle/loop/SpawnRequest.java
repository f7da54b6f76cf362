// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineNode.SubmittedWork;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.scheduler.context.Inheritance;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The request of another thread for a coroutine: passes through the inbox, is spawned on the
/// trampoline.
final class SpawnRequest<T extends @Nullable Object> extends Inbox.Node
    implements SubmittedWork, PendingWork {
  /*
   * States.
   *   from     event                           to        who
   *   POSTED   it arrives, the loop runs       SPAWNED   the trampoline: creates the coroutine,
   *                                                      which inherits nothing yet
   *   POSTED   the inbox is closed, or closes  ANSWERED  the requesting thread, or the carrier at
   *                                                      the loop's end: refused
   *   SPAWNED  the coroutine begins            BEGUN     the coroutine: adopts the carrier's
   *                                                      inheritable locals, runs the body
   *   SPAWNED  it is cancelled before it       ANSWERED  the loop: failed
   *            begins
   *   SPAWNED  it cannot be created (memory)   ANSWERED  the trampoline: failed
   *   BEGUN    the body, or a childValue(),    ANSWERED  the coroutine
   *            ends
   *   BEGUN    OutOfMemoryError or its like    ANSWERED  the carrier, when the loop has ended,
   *            ends it                                   which it does at once
   *   BEGUN    the loop ends without it        ANSWERED  the carrier: refused
   *
   * I1. The future is completed in any case: if the body, a childValue() or a dependent of the
   *     future throws, and however the loop ends. [SubmitTest]
   * I2. No user code runs on the carrier. childValue() runs in the coroutine; dependents of the
   *     future run in the coroutine, in the requesting thread, or in a virtual thread for each
   *     future, so that one that hangs does not delay others. [SubmitTest]
   * I3. An OutOfMemoryError in a body fails the future, and ends the loop as in every other
   *     coroutine. [SubmitTest]
   */
  private final CoroutineTree tree;
  private final Set<PendingWork> unanswered; // of the loop, loop only
  private final String name;
  private final Body<T> body;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  private @Nullable Throwable fatalError; // loop only: ended the body, and ends the loop

  private SpawnRequest(CoroutineTree tree, Set<PendingWork> unanswered, String name, Body<T> body) {
    this.tree = tree;
    this.unanswered = unanswered;
    this.name = name;
    this.body = body;
  }

  /// Posts a request, which is in `unanswered` from its spawn to its reply. **Thread** any.
  static <T extends @Nullable Object> CompletableFuture<T> to(
      CoroutineTree tree, Set<PendingWork> unanswered, String name, Body<T> body) {
    SpawnRequest<T> request = new SpawnRequest<>(tree, unanswered, name, body);
    if (!tree.scheduler().inbox().post(request)) {
      request.result.completeExceptionally(request.ended());
    }
    return request.result;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Class<?> site() {
    return body.getClass();
  }

  // in a tick, perhaps on a coroutine's stack
  @Override
  public void onArrival() {
    tree.scheduler().runOnCarrier(this::spawn);
  }

  private void spawn() {
    if (tree.scheduler().hasEnded()) {
      refuse();
      return;
    }
    unanswered.add(this);
    try {
      tree.root().admit(tree.root().newSubmitted(this));
    } catch (Throwable e) {
      answered();
      failApart(e);
      throw e;
    }
  }

  @Override
  public void run() {
    try {
      Inheritance.adoptFrom(tree.scheduler().carrier());
      result.complete(body.run());
    } catch (Throwable e) {
      if (FailureTable.isFatal(e)) {
        fatalError = e; // reported when the loop has ended, which happens at once
        throw Rethrow.unchecked(e);
      }
      Throwable carried = e instanceof Cancellation ? Precedence.carriedBy(e) : null;
      result.completeExceptionally(carried == null ? e : carried);
    }
    answered();
  }

  // the loop is stopping: its root scope is cancelled for no other reason
  @Override
  public void cancelledBeforeStart() {
    answered();
    refuse();
  }

  private void answered() {
    if (!tree.scheduler().hasEnded()) {
      unanswered.remove(this);
    }
  }

  // the loop has ended without it, or because of its body's failure
  @Override
  public void refuse() {
    failApart(fatalError != null ? fatalError : ended());
  }

  private LoopEndedException ended() {
    return new LoopEndedException("the loop '" + tree.options().name() + "' has ended");
  }

  private void failApart(Throwable why) {
    if (result.isDone()) {
      return;
    }
    try {
      var _ =
          Thread.ofVirtual()
              .inheritInheritableThreadLocals(false)
              .name("refused-" + name)
              .start(() -> result.completeExceptionally(why));
    } catch (OutOfMemoryError _) {
      result.completeExceptionally(why); // a waiter matters more than the rule
    }
  }
}
