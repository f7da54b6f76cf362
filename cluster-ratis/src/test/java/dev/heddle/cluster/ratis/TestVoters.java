// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.process.Pid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Voters in one JVM, and what was acknowledged by any of them.
final class TestVoters implements AutoCloseable {
  static final Set<String> NAMES = Set.of("a", "b", "c");

  /// A request may take long on a machine that is busy; a test that needs a failure says so.
  static final Limits LIMITS =
      new Limits(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(60), 10_000);

  final MemoryNetwork network = new MemoryNetwork();
  private final Path root;
  private final Set<String> names;
  private final Limits limits;
  private final Map<String, TestVoter> voters = new ConcurrentSkipListMap<>();

  private final AtomicLong numbers = new AtomicLong();
  private final Map<String, Long> admissions = new ConcurrentHashMap<>(); // by name of the node

  /// Of names that were acknowledged.
  final Map<String, Long> tokens = new ConcurrentHashMap<>();

  TestVoters(Path root) {
    this(root, NAMES, LIMITS);
  }

  TestVoters(Path root, Set<String> names, Limits limits) {
    this.root = root;
    this.names = names;
    this.limits = limits;
  }

  TestVoters startAll() throws IOException {
    for (String name : names) {
      start(name);
    }
    return this;
  }

  TestVoter start(String node) throws IOException {
    return start(node, limits);
  }

  /// Of another release.
  TestVoter start(String node, LogFormats formats) throws IOException {
    NodeDirectory directory = NodeDirectory.open(root.resolve(node), node);
    RosterCodec codec = new RosterCodec(formats);
    TestVoter voter = new TestVoter(directory, names, network.open(node), codec, limits);
    voters.put(node, voter);
    return voter;
  }

  /// With limits of its own.
  TestVoter start(String node, Limits limits) throws IOException {
    TestVoter voter = new TestVoter(root.resolve(node), node, names, network.open(node), limits);
    voters.put(node, voter);
    return voter;
  }

  /// Ends a life; the others hear no goodbye of it.
  void end(String node) {
    network.end(node);
    voters.remove(node).close();
  }

  /// Starts a voter in the place of one that has lost its disk.
  TestVoter startWithoutItsDisk(TestVoter lost) throws IOException {
    end(lost.node);
    loseDisk(lost.node);
    return start(lost.node);
  }

  void loseDisk(String node) throws IOException {
    try (var files = Files.walk(root.resolve(node))) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
    assertThat(root.resolve(node)).doesNotExist();
  }

  TestVoter get(String node) {
    return voters.get(node);
  }

  Collection<TestVoter> all() {
    return List.copyOf(voters.values());
  }

  // ---- roles ----

  /// Waits for a leader among these.
  TestVoter leader(Collection<TestVoter> of) {
    await("a leader", () -> of.stream().anyMatch(voter -> voter.store.isLeader()));
    return of.stream()
        .filter(voter -> voter.store.isLeader())
        .findFirst()
        .orElseGet(() -> leader(of));
  }

  TestVoter leader() {
    return leader(all());
  }

  /// Calls in the name of a node whose voter has ended.
  VoterCalls callsOf(String node) {
    VoterCalls calls =
        new VoterCalls(node, names, network.open(node), Duration.ofMinutes(1), (_, _) -> {});
    calls.open();
    return calls;
  }

  TestVoter follower() {
    TestVoter leader = leader();
    return others(leader).getFirst();
  }

  List<TestVoter> others(TestVoter than) {
    return all().stream().filter(voter -> voter != than).toList();
  }

  // ---- requests ----

  CompletableFuture<Outcome> renew(TestVoter at, String node) {
    return at.store
        .submit(new Command.Renew(node, 1, null))
        .whenComplete((outcome, _) -> {
          if (outcome instanceof Outcome.Admitted(long admission)) {
            admissions.put(node, admission);
          }
        });
  }

  /// Registers a name for a new process of a node that was admitted.
  CompletableFuture<Outcome> register(TestVoter at, String node, String name) {
    long number = numbers.incrementAndGet();
    Command.Origin origin = new Command.Origin(node, admissions.get(node), number, 0);
    return at.store.submit(new Command.Register(origin, name, new Pid(node, "h", number, 1)));
  }

  /// Registers names one after the other, and keeps the tokens.
  void registerAll(TestVoter at, String node, String prefix, int count) {
    for (int i = 0; i < count; i++) {
      String name = prefix + i;
      acknowledged(name, register(at, node, name).orTimeout(120, TimeUnit.SECONDS).join());
    }
  }

  void acknowledged(String name, Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Registered.class);
    tokens.put(name, ((Outcome.Registered) outcome).token());
  }

  // ---- judgement ----

  /// Waits until all voters have the same state, and all that was acknowledged is in it.
  void awaitEqual(Collection<TestVoter> of) {
    await(
        () -> "equal states of " + of.stream().map(v -> v.node + ":" + v.applied()).toList(),
        () -> {
          byte[] first = of.iterator().next().state();
          return of.stream().allMatch(voter -> Arrays.equals(voter.state(), first));
        });
    for (TestVoter voter : of) {
      assertThat(voter.violation()).isNull();
      tokens.forEach((name, token) -> {
        assertThat(voter.owner(name)).as("'%s' at %s", name, voter.node).isNotNull();
        assertThat(voter.owner(name).token()).as("'%s' at %s", name, voter.node).isEqualTo(token);
      });
    }
  }

  static void await(String what, BooleanSupplier condition) {
    await(() -> what, condition);
  }

  /// Waits until a condition holds, or the time of the test is over: then JUnit interrupts it.
  static void await(Supplier<String> what, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (Thread.interrupted()) {
        throw new AssertionError("waited in vain for " + what.get());
      }
      pause();
    }
  }

  /// Between two looks, or two tries: others need the processor for what is waited for.
  static void pause() {
    LockSupport.parkNanos(5_000_000);
  }

  /// The threads of voters of this JVM that have not ended.
  static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.isDaemon() || thread.getName().startsWith("heddle-"))
        .map(Thread::getName)
        .filter(name -> name.matches("heddle-(voter|raft)-.*|[abc]#[0-9a-f]{16}.*"))
        .sorted()
        .toList();
  }

  /// Ends the lives of all.
  void endAll() {
    voters.keySet().forEach(network::end);
    closeVoters();
    voters.clear();
  }

  /// All at once: each one waits for a thread of Ratis that looks up once a second.
  private void closeVoters() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> ends =
          all().stream().map(voter -> CompletableFuture.runAsync(voter::close, threads)).toList();
      ends.forEach(CompletableFuture::join);
    }
  }

  @Override
  public void close() {
    closeVoters();
    network.close();
  }
}
