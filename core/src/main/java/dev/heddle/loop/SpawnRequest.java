// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.coroutine.tree.SubmittedWork;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.scheduler.context.Inheritance;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Another thread asks for a coroutine: goes through the inbox, is spawned on the trampoline.
final class SpawnRequest<T extends @Nullable Object> extends Inbox.Node implements SubmittedWork {
  /*
   * States.
   *   from     event                           to        who
   *   POSTED   it arrives, the loop runs       SPAWNED   the trampoline: makes the coroutine,
   *                                                      which inherits nothing yet
   *   POSTED   the inbox is closed, or closes  ANSWERED  the asking thread, or the carrier at
   *                                                      the loop's end: refused
   *   SPAWNED  the coroutine begins            BEGUN     the coroutine: adopts the carrier's
   *                                                      inheritable locals, runs the body
   *   SPAWNED  it is cancelled before it       ANSWERED  the loop: failed
   *            begins
   *   SPAWNED  it cannot be made (no memory)   ANSWERED  the trampoline: failed
   *   BEGUN    the body, or a childValue(),    ANSWERED  the coroutine
   *            ends
   *   BEGUN    OutOfMemoryError or its like    ANSWERED  the carrier, when the loop has ended,
   *            ends it                                   which it does at once
   *   BEGUN    the loop ends without it        ANSWERED  the carrier: refused
   *
   * I1. The future is completed, whatever the body, a childValue() or a dependent of the future
   *     throws, and however the loop ends. [SubmitTest]
   * I2. No code of the program runs on the carrier: childValue() runs in the coroutine; dependents
   *     of the future run in the coroutine, in the asking thread, or in a virtual thread of their
   *     own, one for each future, so that one that hangs holds up no other. [SubmitTest]
   * I3. OutOfMemoryError in a body goes to the future, and ends the loop as in every other
   *     coroutine. [SubmitTest]
   */
  private final CoroutineTree tree;
  private final Set<SpawnRequest<?>> unanswered; // of the loop, loop only
  private final String name;
  private final Body<T> body;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  private @Nullable Throwable fatalError; // loop only: what has ended the body, and ends the loop

  private SpawnRequest(
      CoroutineTree tree, Set<SpawnRequest<?>> unanswered, String name, Body<T> body) {
    this.tree = tree;
    this.unanswered = unanswered;
    this.name = name;
    this.body = body;
  }

  /// Asks from any thread.
  ///
  /// @param unanswered where it stands from its spawn until its answer
  static <T extends @Nullable Object> CompletableFuture<T> to(
      CoroutineTree tree, Set<SpawnRequest<?>> unanswered, String name, Body<T> body) {
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

  // in a tick, perhaps on the stack of a coroutine
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

  /// The coroutine's work.
  @Override
  public void run() {
    try {
      Inheritance.adoptFrom(tree.scheduler().carrier());
      result.complete(body.run());
    } catch (Throwable e) {
      if (FailureTable.isFatal(e)) {
        fatalError = e; // nobody is called for it before the loop has ended, which it does at once
        throw Rethrow.unchecked(e);
      }
      Throwable carried = e instanceof Cancellation ? Precedence.carriedBy(e) : null;
      result.completeExceptionally(carried == null ? e : carried);
    }
    answered();
  }

  // the loop stops, for its root scope is not cancelled for any other reason
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

  /// The loop has ended without it, or with what its body has thrown.
  void refuse() {
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
      result.completeExceptionally(why); // who waits for it is worth more than the rule
    }
  }
}
