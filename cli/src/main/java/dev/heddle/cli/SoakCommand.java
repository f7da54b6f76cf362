// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle soak`: `bench/soak/Soak.java` or `bench/soak/worlds/Worlds.java` in a JVM of its own, or
/// the stress tests of processes, or the soak of a cluster, for as long.
@Command(
    name = "soak",
    description =
        "Kills clients and children, or processes of the runtime, at random for minutes, checks"
            + " their invariants, and counts what is left.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SoakCommand implements Callable<Integer> {
  /// Small, so that a leak shows in a run of minutes, and all there from the beginning, so that the
  /// resident memory moves with what is outside of it.
  private static final List<String> HEAP =
      List.of("-J-Xms512m", "-J-Xmx512m", "-J-XX:+AlwaysPreTouch");

  private static final String LOOP = "loop";
  private static final String PROCESSES = "processes";
  private static final String WORLDS = "worlds";
  private static final String CLUSTER = "cluster";

  private static final int STRESS_TESTS = 3; // among which the time is shared

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "WHAT",
      defaultValue = LOOP,
      description = {
        "${DEFAULT-VALUE} when not given:",
        "loop       clients, servers and children of one loop",
        "processes  the stress tests of the process runtime",
        "worlds     twelve scenarios of processes, each with its invariant",
        "cluster    five nodes in JVMs of their own: cut off, paused, killed, started again"
      })
  private String subject = LOOP;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "How many minutes; ${DEFAULT-VALUE} when not given.")
  private int minutes;

  @Option(
      names = "--driver",
      paramLabel = "NAME",
      description = "The loop's driver, for loop and worlds; auto when not given.")
  private @Nullable String driver;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "How many workers, for worlds; 2, 1 and 8 in turn when not given.")
  private @Nullable Integer workers;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Random seed of worlds and cluster, printed at the start; a new one when not given.")
  private @Nullable Long seed;

  @Option(
      names = "--detection",
      description =
          "For cluster, instead of the soak: 20 runs each of how soon nodes see a loss and a heal,"
              + " and how soon names are free.")
  private boolean detection;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    Home home = Home.find();
    if (home == null) {
      spec.commandLine().getErr().println(Home.missing("soak"));
      return ExitCode.USAGE;
    }
    return switch (subject) {
      case LOOP -> run(home, "Soak.java");
      case WORLDS -> run(home, "worlds/Worlds.java");
      case CLUSTER -> soakCluster(home);
      default -> stressProcesses(home);
    };
  }

  private void check() {
    if (!List.of(LOOP, PROCESSES, WORLDS, CLUSTER).contains(subject)) {
      throw wrong("loop, processes, worlds or cluster can be soaked, not '" + subject + "'");
    }
    if (minutes < 1 || minutes > 999) {
      throw wrong("--minutes is from 1 to 999, not " + minutes);
    }
    if (workers != null && (workers < 1 || workers > 999)) {
      throw wrong("--workers is from 1 to 999, not " + workers);
    }
    if (driver != null && !List.of(LOOP, WORLDS).contains(subject)) {
      throw wrong("--driver is for loop and worlds, not for " + subject + "; leave it out");
    }
    if (workers != null && !subject.equals(WORLDS)) {
      throw wrong("--workers is for worlds, not for " + subject + "; leave it out");
    }
    if (seed != null && !List.of(WORLDS, CLUSTER).contains(subject)) {
      throw wrong("--seed is for worlds and cluster, not for " + subject + "; leave it out");
    }
    if (detection && !subject.equals(CLUSTER)) {
      throw wrong("--detection is for cluster, not for " + subject + "; leave it out");
    }
    if (detection && seed != null) {
      throw wrong("--detection has no --seed; leave one out");
    }
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  private int stressProcesses(Home home) throws IOException, InterruptedException {
    return test(
        home,
        "core,process",
        "StressTest",
        List.of("-Dheddle.stress.seconds=" + minutes * 60 / STRESS_TESTS));
  }

  private int soakCluster(Home home) throws IOException, InterruptedException {
    List<String> properties = new ArrayList<>();
    properties.add("-Dheddle.soak.seconds=" + minutes * 60);
    if (seed != null) {
      properties.add("-Dheddle.seed=" + seed);
    }
    // The launcher has built it: nodes that vote need it, and the module under test has none.
    properties.add("-Dheddle.ratis.jar=" + home.state("heddle-cluster-ratis.jar"));
    String tests = detection ? "DetectionTimes,OwnerTimes" : "ClusterSoakTest";
    return test(home, "core,process,cluster", tests, properties);
  }

  private static int test(Home home, String modules, String test, List<String> properties)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add("-Dgates=off");
    arguments.add("-Dquick.root=" + home.state("soak"));
    arguments.addAll(List.of("-pl", modules));
    arguments.add("-Dtest=" + test);
    arguments.add("-Dsurefire.failIfNoSpecifiedTests=false");
    arguments.add("-DskipITs");
    arguments.addAll(properties);
    arguments.add("verify");
    int code = home.maven(arguments);
    return code == 0 ? ExitCode.OK : code >= 128 ? code : ExitCode.FAILURE;
  }

  private int run(Home home, String file) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(home.root().resolve("heddle").toString());
    command.add("run");
    command.addAll(HEAP);
    command.add("-J-Dheddle.driver=" + (driver == null ? "auto" : driver));
    command.add(home.root().resolve("bench/soak").resolve(file).toString());
    command.addAll(List.of("--minutes", String.valueOf(minutes)));
    if (workers != null) {
      command.addAll(List.of("--workers", String.valueOf(workers)));
    }
    if (seed != null) {
      command.addAll(List.of("--seed", String.valueOf(seed)));
    }
    return home.run(command, Map.of());
  }
}
