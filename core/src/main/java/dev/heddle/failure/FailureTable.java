// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

import dev.heddle.Cancellation;
import dev.heddle.FailureReport;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What is known about each failure, kept beside it for as long as somebody holds it.
public final class FailureTable {
  /*
   * A user's throwable is never changed, and it outlives the loop it came from: `Heddle.run` throws it, and only then somebody
   * asks. So this is the one table of the process, keyed by identity, with weak keys.
   *
   * Structure. A fixed array of chains. A chain is immutable but for its head: who adds a link sets the head by CAS, and drops on
   * the way the links whose throwable is gone. What is known stands in a Known that copies of a link share. The failures that gave
   * way form a list, the newest first: who adds one sets its head by CAS. A failure may be added twice; the list is cleaned when it
   * has doubled since the last time, and a reader leaves out what comes again.
   *
   * Threads. Any, also a tick: no lock, nothing of the user's is called (hashCode, equals and toString may be hostile).
   *
   * I1. All that is added for a throwable is found while it is reachable: add() looks at the chain whose head it replaces. [FailureTableTest]
   * I2. A throwable is not kept by what is known about it. A failure that gave way is held strongly and may well have the
   *     other as its cause; so only the last REMEMBERED throwables keep those that gave way to them. [FailureTableTest]
   *
   * Memory order. A chain is published by the CAS of its head. Known is changed by CAS (first origin, merged list, passed on).
   *
   * Cost. Lock-free. One entry for each failure that leaves a coroutine, beside the trace that the JVM took for it: a tenth of
   * that. Chains grow with the failures between two collections: 4,096 heads keep them short at half a million. To merge a failure
   * is constant, the cleaning included: the list is at most twice as long as what is in it.
   *
   * Rejected. A list that is copied for each failure it takes in: 40,000 failures of one scope took 11 s.
   * Rejected. addSuppressed: changes the user's object, throws for itself, and lists for ever what a shared one met. A table in
   * each loop: gone when `run` throws. WeakHashMap, ConcurrentHashMap: call equals, take locks.
   *
   * Sources. DESIGN 3.6; traps 18, 19, 42, 65.
   */
  private static final int CHAINS = 4_096;
  private static final int REMEMBERED = 256;
  private static final int SMALLEST_CLEANING = 8; // below that, what comes twice costs nothing

  private static final AtomicReferenceArray<@Nullable Link> HEADS =
      new AtomicReferenceArray<>(CHAINS);
  private static final AtomicReferenceArray<@Nullable Known> MERGED =
      new AtomicReferenceArray<>(REMEMBERED);
  private static final AtomicInteger MERGES = new AtomicInteger();

  private FailureTable() {}

  /// Loads what a tick may need, where locks do no harm.
  public static void prepare() {
    // being called is all it takes
  }

  /// Notes where a failure came from; the first coroutine counts, others only let it pass.
  public static void cameFrom(Throwable failure, Supplier<? extends Origin> origin) {
    Known known = known(failure);
    if (known.origin.get() == null) {
      known.origin.compareAndSet(null, origin.get());
    }
  }

  /// Notes that one failure gave way to another; nothing when they are the same.
  public static void merge(Throwable kept, Throwable gaveWay) {
    if (kept == gaveWay) {
      return;
    }
    Known known = known(kept);
    boolean first = known.add(gaveWay);
    if (first) {
      int slot = Math.floorMod(MERGES.getAndIncrement(), REMEMBERED);
      Known forgotten = MERGED.getAndSet(slot, known);
      if (forgotten != null) {
        forgotten.newest.set(null);
      }
    }
  }

  /// The failures that gave way to another, each once, in order.
  public static List<Throwable> mergedInto(Throwable failure) {
    Known known = find(HEADS.get(chainOf(failure)), failure);
    return known == null ? List.of() : known.merged();
  }

  /// The failures that gave way to another, those that gave way to them, and so on, each once and
  /// no cancellations: what a report of that failure has to name.
  public static List<Throwable> behind(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    seen.add(failure);
    ArrayDeque<Throwable> toDo = new ArrayDeque<>(List.of(failure));
    List<Throwable> found = new ArrayList<>();
    for (Throwable next = toDo.poll(); next != null; next = toDo.poll()) {
      List<Throwable> gaveWay = mergedInto(next).stream().filter(seen::add).toList();
      toDo.addAll(gaveWay);
      gaveWay.stream().filter(e -> !(e instanceof Cancellation)).forEach(found::add);
    }
    return found;
  }

  /// Notes that the first so many of what is suppressed in a cancellation are passed on.
  ///
  /// @return how many of them were passed on before: several coroutines may get one cancellation
  static int passOn(Throwable cut, int suppressed) {
    return known(cut).passedOn.getAndUpdate(before -> Math.max(before, suppressed));
  }

  /// What is known about a failure; null for nothing.
  public static @Nullable FailureReport reportOf(Throwable failure) {
    Known known = find(HEADS.get(chainOf(failure)), failure);
    if (known == null) {
      return null;
    }
    Origin origin = known.origin.get();
    List<Throwable> merged = known.merged();
    return origin == null
        ? new FailureReport(null, null, List.of(), merged)
        : new FailureReport(origin.coroutine(), origin.spawnSite(), origin.spawnedBy(), merged);
  }

  /// Whether the JVM itself is at its end: the loop ends with it at once (trap 23).
  public static boolean isFatal(Throwable failure) {
    return failure instanceof VirtualMachineError && !(failure instanceof StackOverflowError);
  }

  /// Lets such a failure through where any other is caught: no code of a user's is to run for it.
  public static void throwIfFatal(Throwable failure) {
    if (failure instanceof VirtualMachineError end && isFatal(end)) {
      throw end;
    }
  }

  private static int chainOf(Throwable failure) {
    int hash = System.identityHashCode(failure);
    return (hash ^ hash >>> 12) & CHAINS - 1;
  }

  private static @Nullable Known find(@Nullable Link head, Throwable failure) {
    for (Link link = head; link != null; link = link.next) {
      if (link.key.refersTo(failure)) {
        return link.known;
      }
    }
    return null;
  }

  private static Known known(Throwable failure) {
    int chain = chainOf(failure);
    Link added = null;
    while (true) {
      Link head = HEADS.get(chain);
      Known found = find(head, failure);
      if (found != null) {
        return found;
      }
      Known known = added == null ? new Known() : added.known;
      added = new Link(new WeakReference<>(failure), known, withoutDead(head));
      if (HEADS.compareAndSet(chain, head, added)) {
        return known;
      }
    }
  }

  /// The same chain, copied only as far as something in it is gone.
  private static @Nullable Link withoutDead(@Nullable Link head) {
    boolean dead = false;
    for (Link link = head; link != null; link = link.next) {
      dead |= link.key.refersTo(null);
    }
    if (!dead) {
      return head;
    }
    Link live = null;
    for (Link link = head; link != null; link = link.next) {
      if (!link.key.refersTo(null)) {
        live = new Link(link.key, link.known, live);
      }
    }
    return live;
  }

  private record Link(WeakReference<Throwable> key, Known known, @Nullable Link next) {}

  /// A failure that gave way.
  ///
  /// @param length of the list from here on
  /// @param cleaned its length when it was last cleaned
  private record GaveWay(Throwable failure, @Nullable GaveWay older, int length, int cleaned) {
    static GaveWay before(@Nullable GaveWay older, Throwable failure) {
      return older == null
          ? new GaveWay(failure, null, 1, SMALLEST_CLEANING)
          : new GaveWay(failure, older, older.length + 1, older.cleaned);
    }

    boolean isToBeCleaned() {
      return length > 2 * cleaned;
    }
  }

  private static final class Known {
    final AtomicReference<@Nullable Origin> origin = new AtomicReference<>();
    final AtomicReference<@Nullable GaveWay> newest = new AtomicReference<>();
    final AtomicInteger passedOn = new AtomicInteger();

    /// Whether it is the first one.
    boolean add(Throwable gaveWay) {
      while (true) {
        GaveWay before = newest.get();
        if (before != null && before.failure == gaveWay) {
          return false;
        }
        GaveWay after = GaveWay.before(before, gaveWay);
        if (newest.compareAndSet(before, after.isToBeCleaned() ? cleaned(after) : after)) {
          return before == null;
        }
      }
    }

    List<Throwable> merged() {
      return onceEach(newest.get());
    }

    /// Each of them once, in the order in which they came.
    private static List<Throwable> onceEach(@Nullable GaveWay list) {
      List<Throwable> inOrder = new ArrayList<>();
      for (GaveWay g = list; g != null; g = g.older) {
        inOrder.add(g.failure);
      }
      Collections.reverse(inOrder);
      Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
      inOrder.removeIf(failure -> !seen.add(failure));
      return inOrder;
    }

    private static @Nullable GaveWay cleaned(GaveWay list) {
      List<Throwable> left = onceEach(list);
      GaveWay cleaned = null;
      for (Throwable failure : left) {
        int length = cleaned == null ? 1 : cleaned.length + 1;
        cleaned = new GaveWay(failure, cleaned, length, Math.max(SMALLEST_CLEANING, left.size()));
      }
      return cleaned;
    }
  }
}
