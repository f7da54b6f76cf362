// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import dev.heddle.LoopEndedException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.loop.feed.KindNames;
import dev.heddle.loop.feed.TrampolineCall;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.observe.trace.TraceTicker;
import dev.heddle.observe.trace.TraceTicks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The recording of a loop's trace, from outside.
///
/// It begins and ends on the trampoline, where no coroutine runs, so that the counters of the loop
/// at both moments fit what is in the ring. When the loop does not answer at the end, because a
/// coroutine holds it, what is there is taken all the same.
///
/// **Thread** that of the session.
public final class LoopRecording implements Recording {
  private static final Duration PATIENCE = Duration.ofSeconds(2); // for a loop that is held
  private static final int PIECE = 4_096; // entries; 96 KiB
  private static final int NAMES = 500; // in a row
  private static final long MAIN = 1; // its body's class is a wrapper

  /// What the trampoline sees at the end.
  ///
  /// @param living coroutines, of which the session reads final fields only
  private record End(LoopCounters counters, long nanos, List<CoroutineNode<?>> living) {}

  /// What was found between two moments.
  public interface Found {
    /// Rows, from a time of [System#nanoTime()] to another one.
    List<Map<String, String>> between(long from, long to);
  }

  private final CoroutineTree tree;
  private final Found holds;
  private final TraceTicker ticker;
  private final long began;
  private final long beganMillis = System.currentTimeMillis();
  private final LoopCounters before;
  private final LoopTrace trace;

  private @Nullable List<Map<String, String>> rows; // of the end
  private TraceRing.@Nullable Copy copy;
  private int sent; // entries

  record Begin(LoopTrace trace, LoopCounters counters, long nanos) {}

  /// Begins a recording.
  ///
  /// @param entries of the ring, a power of two
  /// @throws IllegalStateException when the loop does not answer, or is recorded already
  public LoopRecording(CoroutineTree tree, int entries) {
    this(tree, entries, (_, _) -> List.of());
  }

  /// The same.
  ///
  /// @param holds those of the loop
  public LoopRecording(CoroutineTree tree, int entries, Found holds) {
    this.tree = tree;
    this.holds = holds;
    TraceRing ring = new TraceRing(entries); // the most memory: before there is a thread
    this.ticker = new TraceTicker();
    Begin begun = null;
    try {
      begun = awaitBegin(ring, ticker.ticks());
    } finally {
      if (begun == null) {
        ticker.close();
      }
    }
    if (begun == null) {
      throw new IllegalStateException(
          "the loop '" + tree.options().name() + "' is held, and a trace of it cannot begin now");
    }
    this.trace = begun.trace;
    this.before = begun.counters;
    this.began = begun.nanos;
  }

  /// Begins; null when the loop does not answer in time.
  private @Nullable Begin awaitBegin(TraceRing ring, TraceTicks ticks) {
    CompletableFuture<Begin> begin =
        TrampolineCall.post(tree, answer -> begin(tree, ring, ticks, answer));
    Begin begun = null;
    try {
      begun = await(begin);
    } finally {
      if (begun == null) {
        giveUp(begin);
      }
    }
    return begun;
  }

  /// On the trampoline. If nobody waits for the answer any more, nothing has begun.
  static void begin(
      CoroutineTree tree, TraceRing ring, TraceTicks ticks, CompletableFuture<Begin> answer) {
    if (answer.isCancelled()) {
      return;
    }
    LoopTrace begun = LoopTrace.begin(tree, ring, ticks);
    if (!answer.complete(new Begin(begun, tree.counters(), begun.since()))) {
      begun.end(); // the observer has given up meanwhile
    }
  }

  // the loop may come to it later
  private void giveUp(CompletableFuture<Begin> begin) {
    if (!begin.cancel(false)) {
      var _ = begin.thenAccept(late -> endOnLoop(late.trace));
    }
  }

  private void endOnLoop(LoopTrace late) {
    var _ =
        TrampolineCall.post(
            tree,
            answer -> {
              late.end();
              answer.complete(true);
            });
  }

  /// The answer; null when the loop gives none in time.
  private static <T> @Nullable T await(CompletableFuture<T> answer) {
    try {
      return answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      return null;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the loop", e);
    }
  }

  /// The number of entries so far.
  public long recorded() {
    return trace.ring().total();
  }

  // ---- the end ----

  @Override
  public List<Map<String, String>> stop() {
    List<Map<String, String>> before = rows;
    if (before != null) {
      return before; // a second time: the loop has counted on
    }
    End end = null;
    try {
      end = await(TrampolineCall.post(tree, answer -> answer.complete(end())));
    } catch (LoopEndedException _) {
      end = endOfLoop();
    }
    ticker.close();
    TraceRing.Copy seen = trace.ring().copy();
    copy = seen;
    List<Map<String, String>> all = new ArrayList<>();
    all.add(whole(end));
    all.add(ring(seen));
    all.addAll(holds.between(began, Long.parseLong(all.getFirst().get("endedNanos"))));
    addNames(all, sites(seen, end));
    rows = all;
    return all;
  }

  private End end() {
    trace.end();
    LoopCounters after = tree.counters();
    List<CoroutineNode<?>> living = new ArrayList<>(after.coroutines());
    ScopeNode root = tree.root();
    for (ScopeNode s = root; s != null; s = s.nextIn(root, true)) {
      s.forEachMember(living::add); // nothing else here: there may be 100,000
    }
    return new End(after, System.nanoTime(), living);
  }

  private @Nullable End endOfLoop() {
    LoopTrace.Final last = trace.last();
    return last == null
        ? null // it had stopped between the last entry and this question
        : new End(last.counters(), last.nanos(), List.of());
  }

  private Map<String, String> whole(@Nullable End end) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "trace");
    row.put("kind", "loop");
    row.put("name", tree.options().name());
    row.put("beganNanos", Long.toString(began));
    row.put("beganMillis", Long.toString(beganMillis));
    long ended = end == null ? System.nanoTime() : end.nanos;
    row.put("endedNanos", Long.toString(ended));
    if (end != null) {
      addCounts(row, end.counters);
    } else if (!tree.scheduler().hasEnded()) {
      row.put("heldBy", Long.toString(trace.running()));
      row.put("heldSince", Long.toString(trace.since()));
    }
    return row;
  }

  /// What the loop has counted from the beginning to the end.
  private void addCounts(Map<String, String> row, LoopCounters after) {
    row.put("switches", Long.toString(after.switches() - before.switches()));
    row.put("retriedMounts", Long.toString(after.retriedMounts() - before.retriedMounts()));
    row.put("selfResumes", Long.toString(after.selfResumes() - before.selfResumes()));
    row.put("reusedStarts", Long.toString(after.reusedStarts() - before.reusedStarts()));
    row.put("sleeps", Long.toString(after.sleeps() - before.sleeps()));
    row.put("coroutinesBefore", Long.toString(before.coroutines()));
    row.put("coroutines", Long.toString(after.coroutines()));
  }

  private Map<String, String> ring(TraceRing.Copy seen) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "ring");
    row.put("name", tree.options().name());
    row.put("recorded", Long.toString(seen.total()));
    row.put("lost", Long.toString(seen.lost()));
    int code = 0;
    for (String fixed : LoopTrace.FIXED_CODES) {
      row.put("code." + code++, fixed);
    }
    for (Class<?> kind : trace.kinds()) {
      row.put("code." + code++, KindNames.of(kind));
    }
    return row;
  }

  // ---- names ----

  private static Map<Long, Object> sites(TraceRing.Copy seen, @Nullable End end) {
    Map<Long, Object> sites = new LinkedHashMap<>();
    for (int i = 0; i < seen.size(); i++) {
      Object site = seen.kind(i) == TraceKind.END.number() ? seen.name(i) : null;
      if (site != null) {
        sites.put(seen.who(i), site);
      }
    }
    if (end != null) {
      Set<Long> wanted = new HashSet<>();
      for (int i = 0; i < seen.size(); i++) {
        wanted.add(seen.who(i));
      }
      for (CoroutineNode<?> each : end.living) {
        if (wanted.contains(each.id())) {
          sites.putIfAbsent(each.id(), each.site());
        }
      }
    }
    return sites;
  }

  private static void addNames(List<Map<String, String>> rows, Map<Long, Object> sites) {
    Map<Object, String> described = new HashMap<>();
    Map<String, String> row = new LinkedHashMap<>();
    for (Map.Entry<Long, Object> each : sites.entrySet()) {
      Object site = each.getValue();
      String where =
          each.getKey() == MAIN
              ? "main"
              : described.computeIfAbsent(SpawnSites.key(site), SpawnSites::describe);
      String name = CoroutineNode.givenName(site);
      row.put(each.getKey().toString(), (name == null ? "" : name) + '\t' + where);
      if (row.size() == NAMES) {
        rows.add(row);
        row = new LinkedHashMap<>();
      }
      row.put("row", "names");
    }
    if (row.size() > 1) {
      rows.add(row);
    }
  }

  @Override
  public byte @Nullable [] piece() {
    TraceRing.Copy all = copy;
    if (all == null || sent == all.size()) {
      return null;
    }
    int from = sent;
    sent = Math.min(all.size(), from + PIECE);
    return all.bytes(from, sent);
  }

  @Override
  public void close() {
    ticker.close();
    copy = null;
    endOnLoop(trace);
  }
}
