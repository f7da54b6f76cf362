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

/// The failures that a cancellation carries: those that try-with-resources has added to it as
/// suppressed, and those that the cancelled wait had already collected.
public final class CarriedFailures {
  /*
   * A cancellation is not a failure: a coroutine that ends with one is not reported, its awaiter
   * expects it, and nothing prints it. So whatever is attached to it would be lost. Code that drops
   * a cancellation therefore takes the failures that it carries, and these replace it: where a
   * coroutine ends, where a block converts its own cancellation, and where a cancellation is
   * superseded by a failure. So a `close()` that fails in try-with-resources has the same effect as
   * in a `finally` block.
   *
   * Where they are. Among the suppressed exceptions of the cancellation, and of a cancellation that
   * is suppressed in it. Not in its cause, which other coroutines share: it is the reason why they
   * are cancelled, too. Not in its report either: a scope may have failed with the cancellation of
   * a member that others await. For an exception that the JDK or a library has made of an
   * interrupt, the causes are searched, too.
   *
   * I1. A failure that is attached to a cancellation is taken from it once. All awaiters of one
   *     coroutine get the same cancellation from it: the first of them to end takes what is
   *     attached by then, and later ones take what is attached later. [CarriedFailuresTest]
   *
   * Threads. Any, but not in a tick: reading a throwable takes its monitor.
   */
  private static final int DEEPEST = 16; // causes; a chain may be circular

  private final Predicate<? super Throwable> isCut;
  private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Throwable> found = new ArrayList<>(0);

  private CarriedFailures(Predicate<? super Throwable> isCut) {
    this.isCut = isCut;
  }

  /// Attaches a failure that a wait had collected to the throwable that ended the wait.
  public static void carry(Throwable by, Throwable failure) {
    if (by == failure) {
      return;
    }
    FailureTable.merge(by, failure);
    // also here: the table forgets after a while, and a clean-up may take long
    if (by instanceof Cancellation && !(failure instanceof Cancellation)) {
      by.addSuppressed(failure);
    }
  }

  /// Takes the failures that a cancellation carries; no later call returns them.
  ///
  /// @param isCut whether a throwable is a cancellation, or was made of an interrupt
  /// @return the first failure, with the others in its report; null: there are none
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

  /// A cancellation is superseded by another throwable: the failures that it carries go into the
  /// report of that one, which also carries them if it is a cancellation itself.
  ///
  /// @param isCut as in [#take]
  public static void transferTo(Throwable cut, Throwable to, Predicate<? super Throwable> isCut) {
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

  /// The throwables that are printed with a throwable: the suppressed ones and the cause.
  static List<Throwable> attachedTo(Throwable at) {
    List<Throwable> attached = new ArrayList<>(List.of(at.getSuppressed()));
    Throwable cause = causeOf(at);
    if (cause != null) {
      attached.add(cause);
    }
    return attached;
  }

  /// The cause of a throwable; null also if a user's `getCause()` throws.
  public static @Nullable Throwable causeOf(Throwable at) {
    try {
      return at.getCause();
    } catch (Throwable _) {
      return null; // safe: then the cause counts as unknown
    }
  }
}
