// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.singleton.SingletonPort;
import dev.heddle.cluster.singleton.Singletons;
import dev.heddle.process.Pid;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// The singletons of one life of a node, and their processes.
final class SimulatedSingletons implements SingletonPort {
  /// Any node may run it.
  static final String CLOCK = "clock";

  /// Only nodes with a label may.
  static final String LEDGER = "ledger";

  /// Ends on purpose at times, and is declared again.
  static final String JOB = "job";

  static final List<String> ALL = List.of(CLOCK, LEDGER, JOB);
  private static final List<String> LABELLED = List.of("d", "e");

  record Begun(Pid pid, long token) {}

  private final NameSimulation simulation;
  private final NameSimulation.Life life;
  private final SimulatedTime time;
  private final SingletonHistory history;
  final Map<String, Begun> begun = new HashMap<>();
  private final Map<Pid, String> failures = new HashMap<>();

  SimulatedSingletons(NameSimulation simulation, NameSimulation.Life life) {
    this.simulation = simulation;
    this.life = life;
    this.time = simulation.time;
    this.history = simulation.singletons;
    life.service.add(
        new Singletons(
            life.self.node(), life.service, this, simulation.time.scale.lease(), time::now));
  }

  static boolean canRun(String node, String name) {
    return !name.equals(LEDGER) || LABELLED.contains(node);
  }

  // ---- the program ----

  void program() {
    for (String name : ALL) {
      boolean isWanted = name.equals(JOB) ? !time.isCalm() : !history.declared.contains(name);
      if (isWanted && time.random.nextInt(100) < 3) {
        declare(name);
      }
      Begun mine = begun.get(name);
      if (mine != null && life.service.token(name).orElse(0) != mine.token) {
        if (time.random.nextBoolean()) { // as the documentation says, it ends without a failure
          history.obeyed++;
          life.end(mine.pid);
        }
      } else if (mine != null && time.chance(4)) {
        failures.put(mine.pid, "by chance");
        life.end(mine.pid);
      } else if (mine != null && name.equals(JOB) && time.chance(8)) {
        history.finished++;
        life.end(mine.pid);
      }
    }
  }

  private void declare(String name) {
    SingletonSpec.Input none = new SingletonSpec.Input("x", "h", 1, List.of(), new byte[] {0});
    SingletonSpec spec =
        new SingletonSpec(
            name, "entry", null, name.equals(LEDGER) ? Map.of("role", "back") : Map.of(), none);
    var _ =
        life.service
            .declare(spec)
            .handle((kept, failure) ->
                simulation.check(() -> {
                  boolean isExpected =
                      failure instanceof NoQuorumException
                          || failure instanceof CancellationException;
                  if (failure == null ? !spec.equals(kept) : !isExpected) {
                    throw new AssertionError(simulation.seed + ": " + kept, failure);
                  }
                  if (failure == null) {
                    history.declared.add(name);
                  }
                }));
  }

  void act() {
    begun.forEach((name, mine) -> history.acts += life.isAct(name, mine.token) ? 1 : 0);
  }

  // ---- the port ----

  @Override
  public boolean canRun(SingletonSpec spec) {
    return canRun(life.self.node(), spec.name());
  }

  @Override
  public void make(SingletonSpec spec, Run run) {
    time.after(
        time.delay(),
        () ->
            life.whenRunning(() -> {
              if (time.chance(30)) {
                run.ended("not made, by chance");
                return;
              }
              Pid pid = life.newProcess();
              Runnable _ =
                  life.watch(
                      pid,
                      () -> {
                        begun.values().removeIf(it -> it.pid.equals(pid));
                        run.ended(failures.remove(pid));
                      });
              run.made(new Made(spec.name(), pid));
            }));
  }

  private final class Made implements Waiting {
    private final String name;
    private final Pid pid;

    Made(String name, Pid pid) {
      this.name = name;
      this.pid = pid;
    }

    @Override
    public Pid pid() {
      return pid;
    }

    @Override
    public void begin(long token) {
      time.after(time.delay(), () -> life.whenRunning(() -> beginNow(token)));
    }

    private void beginNow(long token) {
      if (!life.isAlive(pid)) {
        return;
      }
      if (life.service.token(name).orElse(0) != token) {
        failures.put(pid, "its name is lost");
        life.end(pid);
        return;
      }
      if (begun.put(name, new Begun(pid, token)) != null) {
        throw new AssertionError(simulation.seed + ": " + name + " runs twice at " + life.self);
      }
      history.begun(name, life.self.node());
    }
  }

  @Override
  public void cancel(Pid pid, String reason, long nanos) {
    if (time.random.nextBoolean()) {
      failures.put(pid, "terminated: " + reason);
    }
    life.cancel(pid, reason, nanos);
  }

  @Nullable Begun begun(String name) {
    return life.isDead() ? null : begun.get(name);
  }
}
