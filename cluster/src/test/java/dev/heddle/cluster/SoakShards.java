// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.roster.Rendezvous;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.FailedMessages;
import dev.heddle.process.Commands;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// A caller that sends numbered messages to entities, and asks them, and entities that this node
/// hosts. Both write down what they do: [SoakCalls] judges it. The entities write to resources
/// outside, too: see [SoakShardWriter].
///
/// One thread sends, so the numbers to each key leave in order. A message that was not accepted is
/// sent again under its number; that of a request is not used again.
final class SoakShards {
  /// @param from the sender's node
  /// @param life of its shards: each start of a node has another one
  record Add(String from, int life, int key, int number) {}

  record Added(int number) {}

  static final String ENTRY = "counter";
  static final int SHARDS = 24;

  private static final int KEYS = 48;
  private static final Duration IDLE = Duration.ofSeconds(2); // so entities come and go
  static final Duration REPLY = Duration.ofSeconds(5);
  private static final int MOST_AT_ONCE = 6;
  private static final long MOST_PAUSE_NANOS = 50_000_000;
  private static final int ONE_ASKS_IN = 4;
  private static final int MOST_ENDING_MILLIS = 700; // without a lease it has a second
  private static final long END = 1; // a tag

  private final SoakDeeds deeds;
  private final Shards shards;
  private final int life; // of this node
  private final Random random = new Random();
  private volatile boolean running;
  private volatile int owned; // shards, as this node knows

  // under its monitor
  private final Map<Integer, Integer> last = new HashMap<>(); // number, by key

  SoakShards(Cluster cluster, SoakDeeds deeds) {
    this.deeds = deeds;
    this.life = cluster.node().self().life();
    cluster.nameService().add(new Owners());
    this.shards =
        cluster.shards(ENTRY, ShardOptions.entry(ENTRY).count(SHARDS).passivateAfter(IDLE));
    FailedMessages.of(cluster.shardService(), this::failed);
    Thread.ofPlatform().daemon().name("caller").start(this::call);
  }

  void run(boolean on) {
    running = on;
  }

  /// How many shards this node owns, as far as it knows.
  int owned() {
    return owned;
  }

  static int shardOf(int key) {
    return (int) Long.remainderUnsigned(Rendezvous.hash(nameOf(key)), SHARDS);
  }

  private static String nameOf(int key) {
    return "k" + key;
  }

  // ---- the caller ----

  private void call() {
    while (true) {
      LockSupport.parkNanos(random.nextLong(MOST_PAUSE_NANOS));
      try {
        for (int i = running ? random.nextInt(MOST_AT_ONCE) : 0; i > 0; i--) {
          callOne(random.nextInt(KEYS));
        }
      } catch (RuntimeException e) {
        SoakNode.violation("a caller of entities failed: " + e);
      }
    }
  }

  private void callOne(int key) {
    if (random.nextInt(ONE_ASKS_IN) == 0) {
      var _ = ask(key);
    } else {
      send(key);
    }
  }

  private synchronized void send(int key) {
    int number = last.getOrDefault(key, 0) + 1;
    long nanos = System.nanoTime();
    try {
      if (shards.of(nameOf(key)).offer(message(key, number)).isAccepted()) {
        last.put(key, number);
        write(Kind.SENT, nanos, key, number);
      }
    } catch (NoQuorumException _) {
      // safe: this node is cut off, has just joined or leaves; the number is used again
    }
  }

  private synchronized CompletableFuture<?> ask(int key) {
    int number = last.merge(key, 1, Integer::sum);
    long nanos = System.nanoTime();
    try {
      return shards
          .of(nameOf(key))
          .request(message(key, number), REPLY)
          .whenComplete((reply, failure) ->
              write(
                  outcome(reply, number, failure),
                  nanos,
                  System.nanoTime(),
                  deeds.node(),
                  life,
                  key,
                  number));
    } catch (NoQuorumException e) {
      write(Kind.REFUSED, nanos, key, number);
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Kind outcome(Object reply, int number, Throwable failure) {
    if (failure == null) {
      if (!new Added(number).equals(reply)) {
        SoakNode.violation("reply: %s to request %d".formatted(reply, number));
      }
      return Kind.REPLIED;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    boolean isRefused = cause instanceof NotDeliveredException e && !e.mayBeDelivered();
    return isRefused ? Kind.REFUSED : Kind.UNKNOWN;
  }

  private Add message(int key, int number) {
    return new Add(deeds.node(), life, key, number);
  }

  private void write(Kind kind, long nanos, int key, int number) {
    write(kind, nanos, 0, deeds.node(), life, key, number);
  }

  private void write(
      Kind kind, long nanos, long token, String from, int itsLife, int key, int number) {
    deeds.write(new Deed(deeds.node(), kind, nanos, token, from, itsLife, key, number, 0));
  }

  /// Asks each entity once more. What was sent to it before has come then, or never will.
  ///
  /// @return `0`, or which one has not replied
  String settle() throws InterruptedException {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      asked.add(ask(key));
    }
    String missing = "0";
    for (int key = 0; key < KEYS; key++) {
      try {
        var _ = asked.get(key).get(2 * REPLY.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        missing = "%s of %s: %s".formatted(nameOf(key), deeds.node(), e);
      }
    }
    return missing;
  }

  // ---- what the node says ----

  private void failed(String key, Object message, boolean mayBeDelivered) {
    if (message instanceof Add add) {
      Kind kind = mayBeDelivered ? Kind.FAILED : Kind.REFUSED;
      write(kind, System.nanoTime(), 0, add.from, add.life, add.key, add.number);
    } else {
      write(Kind.TOLD, System.nanoTime(), Integer.parseInt(key.substring(1)), 0);
    }
  }

  /// Writes down who owns the shards, as the log says.
  private final class Owners implements RosterAccess.Part {
    private final long[] known = new long[SHARDS]; // generations
    private final long[] next = new long[SHARDS];

    @Override
    public void applied(Roster roster) {
      int own = 0;
      for (int shard = 0; shard < SHARDS; shard++) {
        ShardState state = roster.shards().state(ENTRY, shard);
        String owner = state.owner() == null ? "" : state.owner().node();
        own += owner.equals(deeds.node()) ? 1 : 0;
        if (state.owner() != null && state.generation() != known[shard]) {
          known[shard] = state.generation();
          owner(owner, state.generation(), shard, 0);
        }
        if (state.successor() != null && state.next() != next[shard]) {
          next[shard] = state.next();
          owner(state.successor().node(), state.next(), shard, 1);
        }
      }
      owned = own;
    }

    private void owner(String node, long generation, int shard, int isNext) {
      long now = System.nanoTime();
      deeds.write(
          new Deed(deeds.node(), Kind.OWNER, now, generation, node, life, shard, 0, isNext));
    }

    @Override
    public void tick(Roster roster) {}

    @Override
    public CompletableFuture<Void> leave() {
      return CompletableFuture.completedFuture(null); // it has nothing to give away
    }
  }

  // ---- an entity ----

  static final class Counter implements Process {
    private static final AtomicInteger COUNT = new AtomicInteger(); // of this node

    private final SoakDeeds deeds;
    private final SoakShardWriter writer;
    private final int entity = COUNT.incrementAndGet();
    private EntityId id;
    private boolean isEnding;
    private boolean hasEnded; // as it was told to

    Counter(SoakDeeds deeds, SoakShardWriter writer) {
      this.deeds = deeds;
      this.writer = writer;
    }

    @Override
    public void init(ProcessContext context, String method, Object input) {
      id = (EntityId) input;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      boolean ends = false;
      for (ProcessEvent event : events) {
        if (event.data() instanceof Add add) {
          got(add);
        } else if (event.data() instanceof Request request
            && request.message() instanceof Add add) {
          got(add);
          request.reply().complete(new Added(add.number));
        } else if (event.data() instanceof ProcessSignal.Cancel) {
          ends |= isEnding || isAtOnce(out); // it is idle, or its shard moves
          isEnding = true;
        } else if (!event.isMessage() && event.tag() == END) {
          ends = true;
        }
      }
      if (ends) {
        hasEnded = true;
        out.done("told to");
      }
    }

    /// It is closed without a signal when its node may not act for the shard any more.
    @Override
    public void close() {
      if (!hasEnded) {
        writer.lost(shard(), id.token());
      }
    }

    /// Half of them take a while to end: what comes meanwhile waits for the next one, and is handed
    /// over when the shard moves.
    private static boolean isAtOnce(StepOutput out) {
      Random random = ThreadLocalRandom.current();
      if (random.nextBoolean()) {
        return true;
      }
      out.execute(END, Commands.sleep(Duration.ofMillis(random.nextInt(MOST_ENDING_MILLIS))));
      return false;
    }

    private void got(Add add) {
      if (!id.key().equals(nameOf(add.key))) {
        SoakNode.violation("key: %s came to %s".formatted(add, id));
      }
      long nanos = System.nanoTime();
      deeds.write(
          new Deed(
              deeds.node(),
              Kind.GOT,
              nanos,
              id.token(),
              add.from,
              add.life,
              add.key,
              add.number,
              entity));
      writer.write(shard(), id.token());
    }

    private int shard() {
      return shardOf(Integer.parseInt(id.key().substring(1)));
    }
  }
}
