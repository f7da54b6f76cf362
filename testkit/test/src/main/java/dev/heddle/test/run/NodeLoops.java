// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Action;
import dev.heddle.HeddleOptions;
import dev.heddle.internal.InWords;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.file.memory.MemoryFiles;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.time.ClockDrift;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The nodes of a run: loops besides that of its program, each on a host of its own.
///
/// Whenever the loop of the program polls, one of the nodes that are ready gets the turn. Which one
/// is a decision of the run. Virtual time moves when none is.
///
/// **Thread** the holder of the turn.
final class NodeLoops implements Nodes, RunParts.Others {
  private static final int NUMBER_SHIFT = 40; // a loop has fewer coroutines than that
  private static final long SEED_STEP = 0x9E37_79B9_7F4A_7C15L; // of SplitMix64

  private final RunParts run;
  private final HeddleOptions options;
  private final Machine main;
  private final long seed;
  private final RandomGenerator random;
  private final Thread carrier = Thread.currentThread();
  private final List<NodeLoop> live = new ArrayList<>();
  private final Map<SimulatedHost, SimulatedFiles> files = new HashMap<>();
  private final List<Finding> findings = new ArrayList<>();
  private int started;
  private boolean failed;
  private boolean over;
  private @Nullable String states;

  // the holder of the turn writes, the watch reads
  private volatile @Nullable NodeLoop running;

  NodeLoops(RunParts run, HeddleOptions options, Machine main, long seed) {
    this.run = run;
    this.options = options;
    this.main = main;
    this.seed = seed;
    this.random = new SplittableRandom(seed ^ SEED_STEP); // others begin with the seed
    files.put(main.host(), main.files());
  }

  // ---- for nodes ----

  HeddleOptions options() {
    return options;
  }

  Thread carrier() {
    return carrier;
  }

  long newSeed(String name) {
    return seed ^ name.hashCode() ^ started * SEED_STEP;
  }

  RecordingPicker newPicker(String name, RecordingPicker.Steps steps) {
    return run.picker().forNode(name, (long) started << NUMBER_SHIFT, steps);
  }

  void stepsAreUsedUp() {
    if (!failed) {
      failed = true;
      LoopRuntime loop = run.loop();
      String where = describe();
      String others = where == null ? "" : "\n" + where;
      loop.scheduler()
          .runOnCarrier(() ->
              loop.failed(
                  new UnendingRunError(
                      "the run has not ended after %s, at %s of virtual time:%n%s%s"
                          .formatted(
                              InWords.count(run.limits().steps(), "step"),
                              VirtualTime.inWords(run.elapsed()),
                              loop.dump().text(),
                              others))));
    }
  }

  // ---- for the front ----

  @Override
  public SimulatedHost host(String name) {
    return main.network().host(name);
  }

  @Override
  public SimulatedFiles files(SimulatedHost host) {
    return files.computeIfAbsent(
        host, _ -> new MemoryFiles(host.name(), seed ^ host.name().hashCode()));
  }

  @Override
  public NodeLoop start(SimulatedHost host, ClockDrift clock, Action program, Runnable ended) {
    boolean taken =
        host == main.host()
            || live.stream().anyMatch(n -> n.machine().host() == host && !n.hasCrashed());
    if (taken) {
      throw new IllegalStateException("a program runs on the host " + host.name() + " already");
    }
    started++;
    main.network().restart(host);
    Machine machine = new Machine(main.network(), host, files(host));
    RunParts parts = run.forNode(clock);
    // else the world of the caller would give the carrier one of its numbers
    OutsideWorld.run(
        () -> live.add(new NodeLoop(this, host.name(), machine, parts, program, ended)));
    return live.getLast();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public Duration elapsed() {
    return run.elapsed();
  }

  // ---- for the run's loop ----

  /// Whether there are any.
  boolean isAny() {
    return !live.isEmpty();
  }

  /// Lends the turn to a node that is ready.
  ///
  /// @return whether one was
  boolean runReady() {
    if (live.isEmpty()) {
      return false;
    }
    List<NodeLoop> crashed = live.stream().filter(NodeLoop::hasCrashed).toList();
    crashed.forEach(this::lend);
    List<NodeLoop> ready = live.stream().filter(NodeLoop::isReady).toList();
    if (!ready.isEmpty()) {
      lend(ready.get(run.picker().choose(ready.size())));
    }
    return !ready.isEmpty() || !crashed.isEmpty();
  }

  private void lend(NodeLoop node) {
    running = node;
    node.lend();
    running = null;
    if (node.hasEnded()) {
      Throwable failure = node.failure();
      if (failure != null) {
        run.loop().failed(new NodeError(node.name(), failure));
      }
      live.remove(node);
      findings.addAll(node.findings());
    }
  }

  @Override
  public boolean waitForNetworkOnly() {
    return live.stream().allMatch(NodeLoop::waitsForNetworkOnly);
  }

  // the program may close its nodes when it is cancelled: what they do is kept
  @Override
  public void onDeadlock() {
    states = states == null ? describe() : states;
  }

  /// What the nodes did at the first deadlock; null: there was none, or no node.
  @Nullable String statesAtDeadlock() {
    return states;
  }

  boolean isOver() {
    return over;
  }

  /// The run is over: nodes that are left are named, and crash.
  List<Finding> end() {
    over = true;
    for (NodeLoop left : List.copyOf(live)) {
      if (!left.hasCrashed()) {
        findings.add(Leftovers.leak("the node " + left.name() + " runs; close() ends it"));
      }
      left.crash();
      lend(left);
    }
    return findings;
  }

  private @Nullable String describe() {
    String all =
        live.stream()
            .filter(node -> node.loop() != null && !node.hasCrashed())
            .map(NodeLoop::describe)
            .collect(Collectors.joining("\n"));
    return all.isEmpty() ? null : all;
  }

  // ---- the watch ----

  /// The node that has the turn; null: none has. **Thread** any.
  @Nullable NodeLoop running() {
    return running;
  }
}
