// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.internal.StackGuard;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/// The line at which bodies of one class are spawned, and whether there are several such lines.
final class BodySites {
  /*
   * The line of a spawn is on the stack, and a walk of the stack takes twenty times as long as the
   * spawn. But a lambda's class is its place in the source, and most bodies are lambdas that are
   * written where they are spawned. So the line is kept with the class of the body, and the stack
   * is walked for the first body of a class. It is walked again now and then, because the same
   * class may be spawned elsewhere: a class with a name, or a lambda that a method returns.
   *
   * States.  from      event                              to        what
   *          NEW       spawn                              ONE       walk; the next spawn walks too
   *          ONE       spawn, `unwalked` was not 0        ONE       no walk
   *          ONE       spawn, `unwalked` was 0, the same  ONE       walk; twice as many without
   *          ONE       spawn, `unwalked` was 0, another   SEVERAL   walk
   *          SEVERAL   spawn                              SEVERAL   walk
   *          any       spawn at the end of the stack      same      no walk; the first line
   *
   * Threads. Any, at the same time.
   *
   * I1. Of n spawns of a class with one line, at most 1 + log2(n) + n / LONGEST walk.
   *     [SpawnSiteTest#lambda_inALoop_isLookedForNowAndThen]
   * I2. From the spawn on that showed a second line, each spawn of the class has its own line.
   *     [SpawnSiteTest#classWithAName_spawnedAtTwoLines_hasBoth]
   * I3. Nothing here holds a class: lines are words. A body's class holds this object, and holds
   *     Heddle anyway, because it is a Body. [SpawnSiteTest#classesOfABody_areUnloaded]
   *
   * Memory order. None is needed. Lines are immutable, so a reader sees a whole one or null, and
   * null is looked for. A lost count moves a walk. A thread that does not see `several` yet is like
   * one that spawned a little earlier.
   *
   * Cost. 3 ns: a look into the class's table, which a loop leaves out for the class that it
   * spawned last, a comparison and a store.
   *
   * Rejected. One walk only: a lambda that a method returns would show the line of its first spawn
   * for ever, and so would each class with a name. A walk for each class with a name: 3 us for each
   * spawn of a program that likes names. The line where the lambda is written: it is not on the
   * stack, and in no public part of its class. Keys of class and spawner: a coroutine that spawns
   * one class at two lines is the common case, and would still be walked.
   */
  private static final int LONGEST = 4_096; // spawns without a walk: 3 us for them are 1 ns each

  private static final ClassValue<BodySites> OF =
      new ClassValue<>() {
        @Override
        protected BodySites computeValue(Class<?> body) {
          return new BodySites(body);
        }
      };

  private final WeakReference<Class<?>> body; // of an unloaded class a loop may keep this

  // any thread, plain
  private @Nullable Object first; // a Line, or the name of the class where no line is known
  private boolean several;
  private int gap = 1; // from one walk to the next
  private int unwalked; // spawns that need no walk
  private int walks; // for tests

  private BodySites(Class<?> body) {
    this.body = new WeakReference<>(body);
  }

  static BodySites of(Class<?> body) {
    return OF.get(body);
  }

  boolean isOf(Class<?> other) {
    return body.refersTo(other);
  }

  /// The site of a body of this class that is being spawned by the caller.
  Object next(Class<?> body) {
    Object known = first; // safe: immutable, and read once
    if (known != null && --unwalked >= 0) {
      return known;
    }
    return walk(body, known);
  }

  private Object walk(Class<?> body, @Nullable Object known) {
    Object found = StackGuard.hasAmpleRoom() ? SpawnSites.callerOr(body) : null;
    if (found == null) {
      return known == null ? SpawnSites.describe(body) : known;
    }
    walks++;
    if (known == null) {
      first = found;
      return found;
    }
    boolean same = found.equals(known);
    several |= !same;
    gap = several ? 1 : Math.min(2 * gap, LONGEST);
    unwalked = several ? 0 : gap - 1;
    return same ? known : found;
  }

  /// How often the stack was walked for this class.
  int walks() {
    return walks;
  }
}
