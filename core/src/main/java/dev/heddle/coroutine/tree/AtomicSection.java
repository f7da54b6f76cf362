// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Body;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.StackReserve;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A section of a coroutine that must not suspend, so that no other coroutine sees its middle.
///
/// A wait on the loop is refused where it is asked for: as a switch handler would, before LEAVE, so
/// that whoever is in no section pays nothing. Two kinds cannot be refused, and the end of the
/// section fails instead: a wait in the JDK, which the scheduler sees after the fact, and one of a
/// scope opened inside the section, whose members would be left behind.
public final class AtomicSection {
  private final @Nullable AtomicSection outer;
  private final @Nullable ScopeNode around; // the innermost scope of the coroutine's own

  // loop only
  private boolean refusing; // the ENTER that follows belongs to a LEAVE that nobody was told of
  private @Nullable IllegalStateException violation; // the first one

  private AtomicSection(@Nullable AtomicSection outer, @Nullable ScopeNode around) {
    this.outer = outer;
    this.around = around;
  }

  /// Runs `body` in a section of its own.
  public static <T extends @Nullable Object> T run(CoroutineNode<?> self, Body<T> body)
      throws Exception {
    Objects.requireNonNull(body, "body");
    StackReserve.require();
    RareData rare = self.rare();
    AtomicSection section = new AtomicSection(rare.section, self.ownBlock());
    rare.section = section;
    self.watchWhatIsThere();
    T result;
    try {
      result = body.run();
    } catch (Throwable thrown) {
      if (section.violation != null && section.violation != thrown) {
        FailureTable.merge(thrown, section.violation);
      }
      throw thrown;
    } finally {
      rare.section = section.outer;
      self.watchWhatIsThere();
      section.tellOuter();
    }
    if (section.violation != null) {
      throw section.violation;
    }
    return result;
  }

  // what has seen the middle of this one has seen the middle of those around it
  private void tellOuter() {
    if (outer != null && violation != null) {
      outer.keep(violation);
    }
  }

  /// A switch of the coroutine: LEAVE is refused.
  ///
  /// @return whether the handlers are not to be told
  boolean takesOver(CoroutineNode<?> self, boolean enter, boolean finishing) {
    if (enter) {
      boolean taken = refusing;
      refusing = false;
      return taken;
    }
    if (finishing) {
      return false;
    }
    IllegalStateException refused =
        new IllegalStateException(
            self.describe()
                + " was asked to wait inside Heddle.assertNoSuspend; move the wait out of the"
                + " section, or the section's end before it");
    keep(refused);
    if (self.ownBlock() != around) {
      return false;
    }
    refusing = true;
    throw refused;
  }

  /// The JDK has parked the coroutine; on the trampoline.
  static void parked(CoroutineNode<?> self, ExecutionContext on) {
    AtomicSection section = self.rare().section;
    if (section != null) {
      section.parked(self, on.stackOnLoop());
    }
  }

  private void parked(CoroutineNode<?> self, StackTraceElement[] frames) {
    List<StackTraceElement> stack = ProgramFrames.of(frames);
    StackTraceElement called = ProgramFrames.calledInJdk(stack);
    IllegalStateException seen =
        new IllegalStateException(
            self.describe()
                + " was parked by the JDK inside Heddle.assertNoSuspend"
                + (called == null
                    ? ""
                    : ", in " + called.getClassName() + "." + called.getMethodName())
                + ", at "
                + ProgramFrames.site(stack)
                + "; others have run meanwhile");
    seen.setStackTrace(stack.toArray(StackTraceElement[]::new));
    keep(seen);
  }

  private void keep(IllegalStateException seen) {
    if (violation == null) {
      violation = seen;
    }
  }
}
