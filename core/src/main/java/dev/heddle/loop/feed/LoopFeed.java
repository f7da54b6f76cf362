// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.loop.feed.LoopWatch.GroupRow;
import dev.heddle.loop.feed.LoopWatch.Progress;
import dev.heddle.loop.feed.LoopWatch.Summary;
import dev.heddle.loop.feed.LoopWatch.WaitRow;
import dev.heddle.observe.attach.Feed;
import dev.heddle.scheduler.Waker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The feed of a loop: asks its watch, from outside, in pieces. A piece that reads coroutines reads
/// 500 of them; the first one of a watch, and the sum of a look, visit all.
///
/// The first look reads every coroutine that was there when it began, and takes at most a quarter
/// of the loop's time for that. What changes meanwhile is left to the next look: coroutines that
/// switch faster than they are read would keep the first one from ending. Each later one reads
/// those that have changed since, for [#MOST_NANOS] at most; if more have changed, the rest keeps
/// what was read of it before, until its turn comes.
///
/// **Thread** that of the session.
public final class LoopFeed implements Feed {
  private static final Duration PATIENCE = Duration.ofSeconds(2); // for a loop that is held
  private static final Duration STEP = Duration.ofMillis(50); // of it
  private static final int PIECE = 500; // coroutines
  private static final long MOST_NANOS = 3_000_000; // of the loop's time; a summary takes 1 ms
  private static final int PAUSES = 3; // as long as a piece
  private static final int MAX_ACCOUNTS = 60; // of sites, and of coroutines
  // nanoseconds between two samples; nobody looked in a longer one
  private static final long LONGEST_GAP = 1_000_000_000;
  private static final String ACCOUNT = "account ";

  private final CoroutineTree tree;
  private final Supplier<Map<String, String>> counts;
  private final Supplier<List<Map<String, String>>> reports;
  private final Duration patience;
  private @Nullable CompletableFuture<Boolean> probed; // the last probe; it may not be answered yet
  private @Nullable CompletableFuture<LoopWatch> watch;
  private @Nullable CompletableFuture<Accounts> accounts; // null: not asked for
  private boolean complete; // every coroutine was read once
  private boolean behind; // more had changed than could be read

  // for the share of the time in which the loop is awake: what a probe finds lasts to the next one
  private long awakeNanos;
  private long sampledNanos;
  private long sampledAt;
  private boolean awake;

  /// A feed that begins with its first look.
  ///
  /// @param counts the row of the loop itself; any thread
  public LoopFeed(CoroutineTree tree, Supplier<Map<String, String>> counts) {
    this(tree, counts, List::of);
  }

  /// The same.
  ///
  /// @param reports the rows of what was reported about the loop; any thread
  public LoopFeed(
      CoroutineTree tree,
      Supplier<Map<String, String>> counts,
      Supplier<List<Map<String, String>>> reports) {
    this(tree, counts, reports, PATIENCE);
  }

  /// The same, for tests.
  ///
  /// @param patience how long a loop may be held before it is said to be silent
  LoopFeed(
      CoroutineTree tree,
      Supplier<Map<String, String>> counts,
      Supplier<List<Map<String, String>>> reports,
      Duration patience) {
    this.tree = tree;
    this.counts = counts;
    this.reports = reports;
    this.patience = patience;
  }

  @Override
  public List<Map<String, String>> look() {
    List<Map<String, String>> rows = new ArrayList<>();
    Map<String, String> loop = counts.get();
    loop.put("row", "loop");
    rows.add(loop);
    loop.put("awakeNanos", Long.toString(awakeNanos));
    loop.put("sampledNanos", Long.toString(sampledNanos));
    try {
      LoopWatch attached = await(attached());
      readChanged(attached);
      Summary seen =
          await(TrampolineCall.post(tree, answer -> answer.complete(attached.summary())));
      add(loop, seen);
      loop.put("unread", Integer.toString(behind ? seen.unread() : 0));
      seen.groups().forEach(group -> rows.add(fields(group)));
      seen.waits().forEach(wait -> rows.add(fields(wait)));
    } catch (TimeoutException _) {
      loop.put("silent", "true"); // it is held; the counts say by which coroutine
    }
    addSampled();
    return rows;
  }

  private CompletableFuture<LoopWatch> attached() {
    CompletableFuture<LoopWatch> asked = watch;
    if (asked == null) {
      asked = TrampolineCall.post(tree, answer -> answer.complete(LoopWatch.attach(tree)));
      watch = asked;
    }
    return asked;
  }

  private void readChanged(LoopWatch attached) throws TimeoutException {
    boolean first = !complete;
    int toRead = first ? read(attached, 0).left() : Integer.MAX_VALUE;
    long spent = 0;
    boolean more = toRead > 0;
    while (more && toRead > 0 && (first || spent < MOST_NANOS)) {
      int size = Math.min(PIECE, toRead);
      Progress piece = read(attached, size);
      toRead -= size;
      spent += piece.nanos();
      more = piece.left() > 0;
      if (first && more && toRead > 0) {
        LockSupport.parkNanos(this, PAUSES * piece.nanos());
      }
    }
    complete = true;
    behind = more;
  }

  private Progress read(LoopWatch attached, int most) throws TimeoutException {
    return await(TrampolineCall.post(tree, answer -> answer.complete(attached.read(most))));
  }

  /// From when it is posted until all that was ready by then has had its turn. Where nothing is
  /// ready, nothing is queued: a loop that stands still must not seem to go on.
  @Override
  public void probe() {
    long posted = System.nanoTime();
    sample(posted);
    CompletableFuture<Boolean> last = probed;
    if (last != null && !last.isDone()) {
      return; // it still measures
    }
    try {
      LoopWatch attached = await(attached());
      CompletableFuture<Boolean> answered =
          TrampolineCall.post(tree, answer -> measure(attached, posted, answer));
      probed = answered;
      Boolean _ = await(answered);
    } catch (TimeoutException _) {
      // it will be counted when the loop goes on
    }
    addSampled();
  }

  private void sample(long now) {
    if (now - sampledAt <= LONGEST_GAP) {
      addSampled();
    }
    sampledAt = now;
    awake = !tree.scheduler().isAsleep();
  }

  /// What the last sample has found holds until now.
  private void addSampled() {
    if (sampledAt != 0) {
      long now = System.nanoTime();
      sampledNanos += now - sampledAt;
      awakeNanos += awake ? now - sampledAt : 0;
      sampledAt = now;
    }
  }

  private void measure(LoopWatch attached, long posted, CompletableFuture<Boolean> answer) {
    Runnable reached =
        () -> {
          attached.addDelay(System.nanoTime() - posted);
          answer.complete(true);
        };
    if (tree.scheduler().readyCount() == 0) {
      reached.run();
    } else {
      tree.scheduler().runAfterRound(reached);
    }
  }

  // ---- details ----

  /// Answers `coroutines`, with all coroutines as lines; `scopes`, with the tree of scopes and how
  /// many coroutines of which sites are in each; `waits`, with who waits for what, and who holds
  /// it; `reports`, with those of the loop; `accounts`, with what the coroutines of each site, and
  /// those coroutines that have used most, have used since this was first asked; and `account` and
  /// a number, with that of a coroutine.
  ///
  /// With the first question about accounts they begin, and each switch costs more until the
  /// observer leaves, or asks `no accounts`.
  @Override
  public List<Map<String, String>> detail(String question) {
    try {
      if (question.startsWith(ACCOUNT)) {
        return account(Long.parseLong(question.substring(ACCOUNT.length())));
      }
      return switch (question) {
        case "coroutines" -> coroutines();
        case "scopes" -> scopes();
        case "waits" -> waits();
        case "reports" -> reports.get();
        case "accounts" -> accounts();
        case "no accounts" -> {
          endAccounts();
          yield List.of();
        }
        default -> Feed.super.detail(question);
      };
    } catch (TimeoutException _) {
      return List.of(Map.of("row", "silent")); // it is held
    }
  }

  private CompletableFuture<Accounts> openAccounts() {
    CompletableFuture<Accounts> asked = accounts;
    if (asked == null) {
      asked = post(() -> Accounts.begin(tree));
      accounts = asked;
    }
    return asked;
  }

  private void endAccounts() {
    CompletableFuture<Accounts> asked = accounts;
    if (asked != null) {
      accounts = null;
      var _ =
          post(() -> {
            var _ = asked.thenAccept(Accounts::end); // it is done: it was posted before
            return true;
          });
    }
  }

  private List<Map<String, String>> accounts() throws TimeoutException {
    Accounts open = await(openAccounts());
    Accounts.Walk walk = await(post(() -> open.walk(MAX_ACCOUNTS)));
    readInPieces(() -> walk.read(PIECE));
    List<Map<String, String>> rows = new ArrayList<>();
    Map<String, String> whole = new LinkedHashMap<>();
    whole.put("row", "accounts");
    whole.put("nanos", Long.toString(open.nanos()));
    rows.add(whole);
    await(post(walk::bySite)).stream()
        .sorted(Comparator.comparingLong(Accounts.Use::busyNanos).reversed())
        .limit(MAX_ACCOUNTS)
        .forEach(use -> rows.add(fields(use)));
    for (Accounts.Named each : await(post(walk::busiest))) {
      Map<String, String> fields = fields(each.use());
      fields.put("row", "coroutine account");
      fields.put("id", Long.toString(each.id()));
      fields.put("name", each.label());
      rows.add(fields);
    }
    return rows;
  }

  private List<Map<String, String>> account(long id) throws TimeoutException {
    Accounts open = await(openAccounts());
    List<Accounts.Use> found =
        await(
            post(() -> {
              Accounts.Use use = open.of(id);
              return use == null ? List.of() : List.of(use);
            }));
    return found.stream().map(LoopFeed::fields).toList();
  }

  private static Map<String, String> fields(Accounts.Use use) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", "account");
    fields.put("site", SpawnSites.describe(use.site()));
    fields.put("coroutines", Long.toString(use.coroutines()));
    fields.put("runs", Long.toString(use.runs()));
    fields.put("busyNanos", Long.toString(use.busyNanos()));
    fields.put("longestNanos", Long.toString(use.longestNanos()));
    fields.put("waitedNanos", Long.toString(use.waitedNanos()));
    return fields;
  }

  private List<Map<String, String>> coroutines() throws TimeoutException {
    List<Map<String, String>> rows = new ArrayList<>();
    LoopWatch attached = await(attached());
    inPieces(
        attached,
        (from, most) -> {
          Map<String, String> piece = new LinkedHashMap<>();
          piece.put("row", "coroutines");
          piece.put("lines", attached.lines(from, most));
          rows.add(piece);
        });
    List<SiteGroups.Group> groups = await(post(attached::groups));
    for (int i = 0; i < groups.size(); i++) {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("row", "group");
      fields.put("number", Integer.toString(i));
      fields.put("site", groups.get(i).siteInWords());
      fields.put("state", groups.get(i).state().displayName());
      fields.put("on", groups.get(i).kindInWords());
      rows.add(fields);
    }
    return rows;
  }

  private List<Map<String, String>> waits() throws TimeoutException {
    LoopWatch attached = await(attached());
    WaitEdges edges = new WaitEdges();
    forEach(attached, edges::read);
    if (edges.needsOwners()) {
      forEach(attached, edges::readOwner);
    }
    List<Map<String, String>> rows = new ArrayList<>();
    List<CoroutineNode<?>> named = List.copyOf(edges.complete(rows));
    for (int from = 0; from < named.size(); from += PIECE) {
      List<CoroutineNode<?>> piece = named.subList(from, Math.min(named.size(), from + PIECE));
      rows.addAll(await(post(() -> piece.stream().map(edges::row).toList())));
    }
    rows.add(Map.of("row", "left", "things", Integer.toString(edges.left())));
    return rows;
  }

  private List<Map<String, String>> scopes() throws TimeoutException {
    LoopWatch attached = await(attached());
    ScopeTree scopes = new ScopeTree();
    boolean more = await(post(() -> scopes.begin(tree.root())));
    while (more) {
      more = await(post(() -> scopes.readScopes(PIECE)));
    }
    forEach(attached, scopes::readMember);
    do {
      more = await(post(() -> scopes.readRows(PIECE)));
    } while (more);
    return scopes.rows();
  }

  private void forEach(LoopWatch attached, Consumer<CoroutineNode<?>> action)
      throws TimeoutException {
    inPieces(
        attached,
        (from, most) -> {
          for (int row = from; row < from + most; row++) {
            CoroutineNode<?> coroutine = attached.node(row);
            if (coroutine != null) {
              action.accept(coroutine);
            }
          }
        });
  }

  private interface Piece {
    void read(int from, int most);
  }

  /// Visits the rows of the watch on the loop, which does other things between the pieces. Rows
  /// that move meanwhile, because coroutines end, are visited twice or not at all.
  private void inPieces(LoopWatch attached, Piece piece) throws TimeoutException {
    int size = await(post(attached::size));
    int[] from = {0};
    readInPieces(() -> {
      if (from[0] < size) {
        piece.read(from[0], PIECE);
      }
      from[0] += PIECE;
      return from[0] < size;
    });
  }

  /// Reads on the loop, with pauses, as long as there is more.
  private void readInPieces(BooleanSupplier more) throws TimeoutException {
    record Read(boolean isMore, long nanos) {}
    Read last;
    do {
      last =
          await(
              post(() -> {
                long began = System.nanoTime();
                return new Read(more.getAsBoolean(), System.nanoTime() - began);
              }));
      if (last.isMore) {
        LockSupport.parkNanos(this, PAUSES * last.nanos);
      }
    } while (last.isMore);
  }

  private <T> CompletableFuture<T> post(Supplier<T> question) {
    return TrampolineCall.post(tree, answer -> answer.complete(question.get()));
  }

  @Override
  public void close() {
    endAccounts();
    CompletableFuture<LoopWatch> asked = watch;
    if (asked != null) {
      var _ =
          TrampolineCall.post(
              tree,
              answer -> {
                var _ = asked.thenAccept(LoopWatch::detach); // it is done: it was posted before
                answer.complete(true);
              });
    }
  }

  /// Waits for the loop; not for long when it is reported as held: what else is looked at by the
  /// same session waits meanwhile.
  private <T> T await(CompletableFuture<T> answer) throws TimeoutException {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return get(answer);
      } catch (TimeoutException e) {
        if (System.nanoTime() - end > 0 || counts.get().containsKey("holder")) {
          throw e;
        }
      }
    }
  }

  private static <T> T get(CompletableFuture<T> answer) throws TimeoutException {
    try {
      return answer.get(STEP.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the loop", e);
    }
  }

  // ---- rows ----

  private static void add(Map<String, String> loop, Summary seen) {
    loop.put("read", Integer.toString(seen.read()));
    loop.put("lookNanos", Long.toString(seen.nanos()));
    loop.put("delaySamples", Long.toString(seen.delaySamples()));
    loop.put("delayMedianMicros", Long.toString(seen.delayMedianMicros()));
    loop.put("delay99Micros", Long.toString(seen.delay99Micros()));
    loop.put("longestDelayMicros", Long.toString(seen.longestDelayMicros()));
    loop.put("delays", seen.delays());
  }

  private static Map<String, String> fields(GroupRow row) {
    Map<String, String> fields = fields(row.oldest());
    fields.put("row", "site");
    fields.put("count", Integer.toString(row.count()));
    return fields;
  }

  private static Map<String, String> fields(WaitRow row) {
    Map<String, String> fields = new LinkedHashMap<>();
    String kind = row.group().kindInWords();
    String waitsFor = row.waitsFor();
    fields.put("row", "wait");
    fields.put("id", Long.toString(row.id()));
    fields.put("name", row.label());
    fields.put("site", row.group().siteInWords());
    fields.put("state", row.group().state().displayName());
    fields.put("on", kind);
    fields.put("waitsFor", waitsFor == null ? kind : waitsFor);
    fields.put("holders", String.join(", ", row.holders()));
    fields.put("waitedMillis", Long.toString(waitedMillis(row)));
    return fields;
  }

  // a coroutine that is ready, or was never started, does not wait: its moment is of an earlier
  // wait
  private static long waitedMillis(WaitRow row) {
    return switch (row.group().state()) {
      case WAITING, FOREIGN -> Waker.ofUnits(row.waited()).toMillis();
      case NEW, READY, RUNNING -> 0;
    };
  }
}
