// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import dev.heddle.Cancellation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The failures that a cancellation carries: those that try-with-resources has suppressed in it,
/// and those that had been collected by the wait that it ended.
public final class CarriedFailures {
  /*
   * A cancellation is no failure: a coroutine that ends with it is not reported, an awaiter expects it, nobody prints it. So what
   * is attached to it would be lost with it. Whoever lets a cancellation go asks here for the failures that it carries, and lets
   * them take its place: where a coroutine ends, where a block turns its own cancellation into something else, and where a
   * cancellation gives way to a failure. A `close()` that fails in try-with-resources does then what it does in a `finally` block.
   *
   * Where they are. Suppressed in the cancellation, and in a cancellation that is suppressed in it. Its cause belongs to others: it
   * is why they are cancelled, too. So does its report: a scope may have failed with the cancellation of a member that others await.
   * Of what the JDK or a library has made of an interrupt the causes are looked at.
   *
   * I1. What is attached to a cancellation is taken from it once; what is attached later, later. Those that await one coroutine get
   *     the same cancellation from it: the first of them to end takes what has been attached by then. [CarriedFailuresTest]
   *
   * Threads. Any, but no tick: looking at a throwable takes its monitor.
   */
  private static final int DEEPEST = 16; // causes; a chain may be a circle

  private final Predicate<? super Throwable> isCut;
  private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Throwable> found = new ArrayList<>(0);

  private CarriedFailures(Predicate<? super Throwable> isCut) {
    this.isCut = isCut;
  }

  /// Lets what ended a wait carry a failure that the wait had collected.
  public static void carry(Throwable by, Throwable failure) {
    if (by == failure) {
      return;
    }
    FailureTable.merge(by, failure);
    // the table forgets in time, and a clean-up may take long
    if (by instanceof Cancellation && !(failure instanceof Cancellation)) {
      by.addSuppressed(failure);
    }
  }

  /// Takes the failures that a cancellation carries; nobody else gets them.
  ///
  /// @param isCut whether something is no failure but a cancellation, or made of an interrupt
  /// @return the first, which has the others in its report; null: there are none
  public static @Nullable Throwable take(Throwable cut, Predicate<? super Throwable> isCut) {
    Throwable first = null;
    for (Throwable failure : carriedBy(cut, isCut)) {
      if (first == null) {
        first = failure;
      } else {
        FailureTable.merge(first, failure);
      }
    }
    return first;
  }

  /// A cancellation gives way: what it carries goes into the report of what is thrown instead,
  /// which carries it along if it is a cancellation itself.
  ///
  /// @param isCut as in [#take]
  public static void handOver(Throwable cut, Throwable to, Predicate<? super Throwable> isCut) {
    if (cut == to) {
      return;
    }
    for (Throwable failure : carriedBy(cut, isCut)) {
      if (to instanceof Cancellation) {
        carry(to, failure);
      } else {
        FailureTable.merge(to, failure);
      }
    }
  }

  private static List<Throwable> carriedBy(Throwable cut, Predicate<? super Throwable> isCut) {
    CarriedFailures carried = new CarriedFailures(isCut);
    carried.lookInto(cut);
    return carried.found;
  }

  private void lookInto(Throwable cut) {
    Throwable at = cut;
    for (int depth = 0; at != null && depth < DEEPEST && seen.add(at); depth++) {
      Throwable[] suppressed = at.getSuppressed();
      int before = suppressed.length == 0 ? 0 : FailureTable.passOn(at, suppressed.length);
      for (int i = before; i < suppressed.length; i++) {
        add(suppressed[i]);
      }
      at = at instanceof Cancellation ? null : causeOf(at);
    }
  }

  private void add(Throwable attached) {
    if (isCut.test(attached)) {
      lookInto(attached);
    } else if (seen.add(attached)) {
      found.add(attached);
    }
  }

  private static @Nullable Throwable causeOf(Throwable at) {
    try {
      return at.getCause();
    } catch (RuntimeException | Error _) {
      return null; // safe: a user's getCause may do anything, and there is nothing behind it then
    }
  }
}
