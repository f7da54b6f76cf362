// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.StorageProof;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Pid;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The service of one node, a voter, in virtual time. A test answers its commands, and ends its
/// processes.
final class OneNode implements NodePort, NameStore {
  static final long MILLI = 1_000_000;
  static final int LIFE = 7;

  /// A command that has no answer yet.
  record Try(Command command, CompletableFuture<Outcome> answer) {
    void answer(Outcome outcome) {
      answer.complete(outcome);
    }

    void fail() {
      answer.completeExceptionally(new java.util.concurrent.TimeoutException("lost"));
    }
  }

  final NameService service;
  final List<Try> tries = new ArrayList<>();
  final List<Pid> cancelled = new ArrayList<>();
  int handOvers; // of the lead
  int wakes; // of the agent

  /// Answers a command at once; null leaves it to the test.
  Function<Command, Outcome> atOnce = _ -> null;

  /// The term in which it leads, at each look; 0 when it does not.
  LongSupplier terms = () -> 0;

  private NameStore.Listener listener;
  private final NodeLife self = new NodeLife("a", "h", LIFE);
  private final SimulatedProcesses processes = new SimulatedProcesses(self);
  private long now = 5_000_000_000L;
  private long applied;

  OneNode() {
    service =
        new NameService(
            new NameService.Setup(
                self, Set.of("a"), new StorageProof(1, 1), LeaseTimes.DEFAULT, RosterCodec.RELEASE),
            this,
            () -> now,
            () -> wakes++,
            it -> {
              listener = it;
              return this;
            });
  }

  /// Time passes, and the node stands still meanwhile.
  void pass(long millis) {
    now += millis * MILLI;
  }

  /// Time passes, and the agent of the node does what is due every 100 ms.
  void run(long millis) {
    for (long end = now + millis * MILLI; now < end; now += 100 * MILLI) {
      long _ = service.run();
    }
    long _ = service.run();
  }

  Pid spawn() {
    return processes.spawn();
  }

  void end(Pid pid) {
    processes.end(pid);
    long _ = service.run();
  }

  /// Takes the oldest try of a kind.
  Try take(Class<? extends Command> kind) {
    Try first = all(kind).getFirst();
    tries.remove(first);
    return first;
  }

  List<Try> all(Class<? extends Command> kind) {
    return tries.stream().filter(it -> kind.isInstance(it.command)).toList();
  }

  /// Answers all renewals with an admission, from now on too.
  void admit(long admission) {
    atOnce = command -> command instanceof Command.Renew ? new Outcome.Admitted(admission) : null;
    for (Try each : all(Command.Renew.class)) {
      tries.remove(each);
      each.answer(new Outcome.Admitted(admission));
    }
    long _ = service.run();
  }

  /// The log applies its next command here.
  void apply(long index, Command command) {
    listener.applied(new Delta(applied, index, command), new Outcome.Done());
    applied = index;
    long _ = service.run();
  }

  /// The agent does what is due now, and is asked when it does so again.
  long millisToTheNextLook() {
    return (service.run() - now) / MILLI;
  }

  /// It has been elected.
  void lead() {
    listener.leads();
  }

  // ---- the store ----

  @Override
  public CompletableFuture<Outcome> submit(Command command) {
    Try next = new Try(command, new CompletableFuture<>());
    Outcome outcome = atOnce.apply(command);
    if (outcome == null) {
      tries.add(next);
    } else {
      next.answer(outcome);
    }
    return next.answer;
  }

  @Override
  public CompletableFuture<Long> barrier() {
    return new CompletableFuture<>();
  }

  @Override
  public long term() {
    return terms.getAsLong();
  }

  @Override
  public CompletableFuture<Boolean> handOver() {
    handOvers++;
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public void close() {}

  // ---- the node ----

  @Override
  public boolean send(String to, byte[] content) {
    return false;
  }

  @Override
  public CompletableFuture<@Nullable Void> room(String to) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public int logFormat(String node) {
    return 0;
  }

  @Override
  public Runnable watch(Pid pid, Runnable ended) {
    return processes.watch(pid, ended);
  }

  @Override
  public void cancel(Pid pid, String reason, long nanos) {
    cancelled.add(pid);
  }
}
