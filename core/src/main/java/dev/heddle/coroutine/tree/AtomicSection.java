// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Body;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.failure.FailureTable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A section of a coroutine that must not suspend, so that no other coroutine sees its intermediate
/// state.
///
/// A wait in Heddle throws at the call: the section acts as a switch handler before LEAVE, so
/// coroutines without a section pay nothing. Two kinds of suspension cannot be refused, so the end
/// of the section fails instead: a wait in the JDK, which the scheduler learns of afterwards, and
/// the end of a scope opened inside the section, whose members would be abandoned.
final class AtomicSection {
  private final @Nullable AtomicSection outer;
  private final @Nullable Scope around; // the innermost scope of the coroutine's own

  // loop only
  private boolean rejecting; // the next ENTER belongs to a LEAVE that was refused
  private @Nullable IllegalStateException violation; // the first one

  /// @param around the innermost scope that the coroutine has opened; null: none
  AtomicSection(@Nullable AtomicSection outer, @Nullable Scope around) {
    this.outer = outer;
    this.around = around;
  }

  /// Runs `body` in this section; `changed` is called at its begin and its end.
  <T extends @Nullable Object> T run(Body<T> body, Consumer<@Nullable AtomicSection> changed)
      throws Exception {
    changed.accept(this);
    T result;
    try {
      result = body.run();
    } catch (Throwable thrown) {
      if (violation != null && violation != thrown) {
        FailureTable.merge(thrown, violation);
      }
      throw thrown;
    } finally {
      changed.accept(outer);
      if (outer != null && violation != null) {
        // code that saw the middle of this section also saw the middle of the enclosing ones
        outer.record(violation);
      }
    }
    if (violation != null) {
      throw violation;
    }
    return result;
  }

  /// Handles a switch of the coroutine: refuses LEAVE.
  ///
  /// @param innermost the innermost scope that it has opened now
  /// @return whether the switch handlers must not be called
  boolean intercept(
      Coroutine<?> self, @Nullable Scope innermost, boolean enter, boolean finishing) {
    if (enter) {
      boolean taken = rejecting;
      rejecting = false;
      return taken;
    }
    if (finishing) {
      return false;
    }
    IllegalStateException refused =
        new IllegalStateException(
            self
                + " was asked to wait inside Heddle.assertNoSuspend; move the wait out of the"
                + " section, or the section's end before it");
    record(refused);
    if (innermost != around) {
      return false;
    }
    rejecting = true;
    throw refused;
  }

  /// Called on the trampoline when the JDK has parked the coroutine.
  void parked(Coroutine<?> self, StackTraceElement[] frames) {
    List<StackTraceElement> stack = ProgramFrames.of(frames);
    StackTraceElement called = ProgramFrames.calledInJdk(stack);
    String in =
        called == null ? "" : ", in " + called.getClassName() + "." + called.getMethodName();
    var seen =
        new IllegalStateException(
            ("%s was parked by the JDK inside Heddle.assertNoSuspend%s, at %s; others have run"
                    + " meanwhile")
                .formatted(self, in, ProgramFrames.site(stack)));
    seen.setStackTrace(stack.toArray(StackTraceElement[]::new));
    record(seen);
  }

  private void record(IllegalStateException seen) {
    if (violation == null) {
      violation = seen;
    }
  }
}
