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

/// What is known about each failure, stored outside it for as long as the failure is reachable.
public final class FailureTable {
  /*
   * A user's throwable is never changed. It also outlives its loop: `Heddle.run` throws it, and
   * only then does the caller ask for its report. So there is one table for the whole process,
   * keyed by identity, with weak keys.
   *
   * Structure. A fixed array of chains. A chain is immutable except for its head. To add a link, a
   * thread sets the head by CAS, and drops the links whose throwable was collected. The data is in
   * a Known, which copies of a link share. The failures merged into another form a list, newest
   * first; to add one, a thread sets the list's head by CAS. A failure may be added twice; the list
   * is cleaned when it has doubled since the last time, and a reader ignores repetitions.
   *
   * Threads. Any, also in a tick: no lock, and no call of a user's method (hashCode, equals and
   * toString may do anything).
   *
   * I1. Everything that is added for a throwable is found while the throwable is reachable: the
   *     thread that adds a link searches the chain whose head it replaces. [FailureTableTest]
   * I2. The table does not keep a throwable reachable. A merged failure is referenced strongly, and
   *     its cause may be the failure that it was merged into; so only the last REMEMBERED
   *     throwables keep the failures merged into them. [FailureTableTest]
   *
   * Memory order. The CAS of its head publishes a chain. A Known changes by CAS (first origin,
   * merged list, number passed on).
   *
   * Cost. Lock-free. One entry for each failure that leaves a coroutine: a tenth of the trace that
   * the JVM took for it. Chains grow with the failures between two garbage collections; 4,096 heads
   * keep them short at half a million. A merge takes amortised constant time: the list is at most
   * twice as long as its content.
   *
   * Rejected. A list that is copied for each added failure: 40,000 failures of one scope took 11 s.
   * addSuppressed: changes the user's object, throws for a throwable that is added to itself, and
   * keeps for ever what a shared one met. A table in each loop: gone when `run` throws.
   * WeakHashMap, ConcurrentHashMap: call equals, take locks.
   *
   * Sources. trap-18, trap-19, trap-42, trap-65.
   */
  private static final int CHAINS = 4_096;
  private static final int REMEMBERED = 256;
  private static final int SMALLEST_CLEANING = 8; // below that, repetitions cost nothing
  private static final int MOST_READ = 10_000; // throwables behind one

  private static final AtomicReferenceArray<@Nullable Link> HEADS =
      new AtomicReferenceArray<>(CHAINS);
  private static final AtomicReferenceArray<@Nullable Known> MERGED =
      new AtomicReferenceArray<>(REMEMBERED);
  private static final AtomicInteger MERGES = new AtomicInteger();

  private FailureTable() {}

  /// Loads the classes that a tick may need, while locks do no harm.
  public static void prepare() {
    // the call itself initialises the class
  }

  /// Records where a failure came from; only the first coroutine counts.
  public static void cameFrom(Throwable failure, Supplier<? extends Origin> origin) {
    Known known = known(failure);
    if (known.origin.get() == null) {
      known.origin.compareAndSet(null, origin.get());
    }
  }

  /// Records that a failure was suppressed by another; does nothing when they are the same.
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

  /// The failures that were suppressed by another, each once, in order.
  public static List<Throwable> mergedInto(Throwable failure) {
    Known known = find(HEADS.get(chainOf(failure)), failure);
    return known == null ? List.of() : known.merged();
  }

  /// The failures that were suppressed by another, directly or through others, each once and
  /// without cancellations: those that a report of that failure must name.
  public static List<Throwable> allMergedInto(Throwable failure) {
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

  /// The failures that were suppressed by one that a failure's stack trace shows: by its cause, by
  /// one that was added to it, or by one of those that were suppressed by it. Each once, without
  /// cancellations, and without those of [#allMergedInto].
  ///
  /// **Thread** any, but not in a tick: reading a throwable takes its monitor.
  public static List<Throwable> mergedIntoAttached(Throwable failure) {
    List<Throwable> named = allMergedInto(failure);
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    ArrayDeque<Throwable> toDo = new ArrayDeque<>(named);
    toDo.addFirst(failure);
    List<Throwable> found = new ArrayList<>();
    // a user's getCause() may make a new throwable at each call
    for (int read = 0; !toDo.isEmpty() && read < MOST_READ; read++) {
      Throwable next = toDo.remove();
      if (seen.add(next)) {
        toDo.addAll(CarriedFailures.attachedTo(next));
        List<Throwable> merged = allMergedInto(next);
        toDo.addAll(merged);
        found.addAll(merged);
      }
    }
    Set<Throwable> given = Collections.newSetFromMap(new IdentityHashMap<>());
    given.addAll(named);
    given.add(failure);
    return found.stream().filter(given::add).toList();
  }

  /// Records that the first `suppressed` suppressed exceptions of a cancellation were passed on.
  ///
  /// @return how many of them were passed on before: several coroutines may get one cancellation
  static int passOn(Throwable cut, int suppressed) {
    return known(cut).passedOn.getAndUpdate(before -> Math.max(before, suppressed));
  }

  /// The report of a failure; null when nothing is known about it.
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

  /// Whether the JVM itself has failed: the loop then ends at once (trap-23).
  public static boolean isFatal(Throwable failure) {
    return failure instanceof VirtualMachineError && !(failure instanceof StackOverflowError);
  }

  /// Rethrows such a failure where any other is caught: no user code may run for it.
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

  /// The chain without collected throwables; the same chain if there are none.
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

  /// An entry of the list of suppressed failures.
  ///
  /// @param length of the list from this entry on
  /// @param cleaned the list's length after its last cleaning
  private record Superseded(
      Throwable failure, @Nullable Superseded older, int length, int cleaned) {
    static Superseded before(@Nullable Superseded older, Throwable failure) {
      return older == null
          ? new Superseded(failure, null, 1, SMALLEST_CLEANING)
          : new Superseded(failure, older, older.length + 1, older.cleaned);
    }

    boolean isToBeCleaned() {
      return length > 2 * cleaned;
    }
  }

  private static final class Known {
    final AtomicReference<@Nullable Origin> origin = new AtomicReference<>();
    final AtomicReference<@Nullable Superseded> newest = new AtomicReference<>();
    final AtomicInteger passedOn = new AtomicInteger();

    boolean add(Throwable gaveWay) {
      while (true) {
        Superseded before = newest.get();
        if (before != null && before.failure == gaveWay) {
          return false;
        }
        Superseded after = Superseded.before(before, gaveWay);
        if (newest.compareAndSet(before, after.isToBeCleaned() ? cleaned(after) : after)) {
          return before == null;
        }
      }
    }

    List<Throwable> merged() {
      return onceEach(newest.get());
    }

    /// The failures of the list without repetitions, oldest first.
    private static List<Throwable> onceEach(@Nullable Superseded list) {
      List<Throwable> inOrder = new ArrayList<>();
      for (Superseded g = list; g != null; g = g.older) {
        inOrder.add(g.failure);
      }
      Collections.reverse(inOrder);
      Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
      inOrder.removeIf(failure -> !seen.add(failure));
      return inOrder;
    }

    private static @Nullable Superseded cleaned(Superseded list) {
      List<Throwable> left = onceEach(list);
      Superseded cleaned = null;
      for (Throwable failure : left) {
        int length = cleaned == null ? 1 : cleaned.length + 1;
        cleaned =
            new Superseded(failure, cleaned, length, Math.max(SMALLEST_CLEANING, left.size()));
      }
      return cleaned;
    }
  }

  /// The coroutine that a failure came from. Lives as long as the failure, so it must reference
  /// neither the coroutine nor the failure.
  public interface Origin {
    /// Its number and name.
    String coroutine();

    /// The site where it was spawned; null for a main coroutine.
    @Nullable String spawnSite();

    /// The coroutines that spawned it, each with its own site, nearest first.
    List<String> spawnedBy();
  }
}
