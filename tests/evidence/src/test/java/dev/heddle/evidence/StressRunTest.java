// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs jcstress in a JVM of its own: what is sound must pass, and every mutant must be caught.
///
/// Here a stress test is a class `…Stress`; its nested classes are the model (`Model…`), what is
/// proved (`Real…`), and mutants (any other name).
@Tag("full")
class StressRunTest {
  private static final List<String> MUTANTS =
      List.of(
          "dev.heddle.internal.SpinLockStress.TakesByStore",
          "dev.heddle.scheduler.inbox.InboxStress.PlainClearPosted",
          "dev.heddle.scheduler.inbox.InboxStress.ReadOnlyClaim",
          "dev.heddle.scheduler.inbox.WakeupStress.PlainState",
          "dev.heddle.scheduler.inbox.WakeupStress.RingsByStore",
          "dev.heddle.scheduler.context.LostRunStress.NoFenceAfterLostRun",
          "dev.heddle.thread.ThreadChannelStress.LeavesUnchecked",
          "dev.heddle.thread.ThreadChannelStress.SenderLeavesUnchecked",
          "dev.heddle.loop.TaskRegistryStress.CountsAfterwards",
          "dev.heddle.loop.TaskRegistryStress.AsksTooSoon",
          "dev.heddle.loop.RunnerFutureStress.ReadsTheRunnerFirst",
          "dev.heddle.flow.RemoteSignalStress.AsksTooSoon",
          "dev.heddle.flow.DownstreamStress.AsksTooSoon",
          "dev.heddle.flow.UpstreamStress.AsksTooSoon",
          "dev.heddle.thread.worker.CallTaskStress.PublishesOnly",
          "dev.heddle.process.scheduler.EventQueueStress.CountsTwice",
          "dev.heddle.process.scheduler.EventQueueStress.EmptiesByStore",
          "dev.heddle.process.mailbox.SenderQueueStress.NoLook",
          "dev.heddle.process.scheduler.EventQueueStress.HandsOutLater",
          "dev.heddle.process.scheduler.EventQueueStress.LooksTooSoon",
          "dev.heddle.process.scheduler.EventQueueStress.LooksTooLate",
          "dev.heddle.process.scheduler.EventQueueStress.NoMark",
          "dev.heddle.process.scheduler.EventQueueStress.LinksRowOnce",
          "dev.heddle.process.scheduler.EventQueueStress.RowOntoAnEmptyStack",
          "dev.heddle.process.scheduler.BurstStress.AbandonsByStore",
          "dev.heddle.process.scheduler.BurstStress.EndsSilently",
          "dev.heddle.process.scheduler.BurstStress.KeepsTooLate",
          "dev.heddle.process.scheduler.BurstStress.LeavesByStore",
          "dev.heddle.process.scheduler.BurstStress.LooksTooSoon",
          "dev.heddle.process.scheduler.BurstStress.SealsByStore",
          "dev.heddle.process.scheduler.BurstStress.SealsTooLate",
          "dev.heddle.process.scheduler.GlobalQueueStress.FifoWithoutLock",
          "dev.heddle.process.scheduler.GlobalQueueStress.SilentTurn",
          "dev.heddle.process.scheduler.WorkDequeStress.NaiveCas",
          "dev.heddle.process.scheduler.WorkDequeStress.NoFence",
          "dev.heddle.process.scheduler.WorkDequeStress.OldestByStore",
          "dev.heddle.process.scheduler.WorkDequeStress.ThiefTidies",
          "dev.heddle.process.scheduler.StateStress.NoRetry",
          "dev.heddle.process.scheduler.StateStress.WakesByStore",
          "dev.heddle.process.scheduler.ParkingStress.NoLook",
          "dev.heddle.process.scheduler.ParkingStress.WakesABusyOne",
          "dev.heddle.process.scheduler.ParkingStress.NoFenceAfterPush",
          "dev.heddle.process.links.ProcessLinksStress.TellsWhomItTook",
          "dev.heddle.process.remote.RetryingExecutorStress.AsksTooSoon",
          "dev.heddle.process.remote.RetryingExecutorStress.LooksTooSoon",
          "dev.heddle.process.remote.RetryingExecutorStress.TakesTooSoon",
          "dev.heddle.process.timer.HandOverStress.SettlesAtOnce",
          "dev.heddle.process.timer.HandOverStress.SleepsAtOnce",
          "dev.heddle.cluster.peer.SerialExecutorStress.LooksTooSoon",
          "dev.heddle.cluster.session.OutboxStress.FirstByteFirst",
          "dev.heddle.cluster.session.OutboxStress.SealsByStore",
          "dev.heddle.cluster.session.OutboxStress.WakesTooSoon",
          "dev.heddle.cluster.session.PacketReuseStress.FreedBeforeAcknowledged",
          "dev.heddle.cluster.session.PacketReuseStress.FreedWhileRead");

  /// Models and real classes that need no more than two processors; jcstress skips the others
  /// there.
  private static final int OF_TWO_ACTORS = 95;

  private static final int MORE_ROUNDS = 100;

  @TempDir Path results;

  @Test
  @Tag("T1")
  @Tag("T15")
  @Tag("P5")
  @Tag("P6")
  @Tag("P7")
  @Tag("P8")
  @Tag("P9")
  @Tag("proc-62")
  @Tag("proc-203")
  @Tag("proc-240")
  @Tag("proc-230")
  @Tag("proc-233")
  @Tag("proc-236")
  @Tag("proc-285")
  @Tag("proc-286")
  @Tag("proc-288")
  @Tag("C1")
  @Tag("C2")
  @Tag("timer-2")
  @Tag("timer-4")
  @Tag("trap-38")
  @Tag("trap-40")
  void modelsAndRealClasses_underStress_showNothingForbidden() throws Exception {
    StressReport report = run("Stress\\.(Model|Real)");
    assertThat(report.otherThan("OK")).as(report.output()).isEmpty();
    assertThat(report.tests("OK")).hasSizeGreaterThanOrEqualTo(OF_TWO_ACTORS);
  }

  @Test
  @Tag("T1")
  @Tag("T15")
  @Tag("trap-40")
  @Tag("trap-60")
  void mutants_underStress_areAllCaught() throws Exception {
    StressReport report = run("Stress\\.(?!Model|Real)");
    Set<String> caught = caught(report);
    assertThat(MUTANTS).as(report.output()).containsAll(caught);
    // a race shows itself only while both its actors run: a busy machine takes more rounds
    for (int round = 0; round < MORE_ROUNDS && caught.size() < MUTANTS.size(); round++) {
      String left =
          MUTANTS.stream()
              .filter(mutant -> !caught.contains(mutant))
              .map(Pattern::quote)
              .collect(Collectors.joining("|"));
      report = run(left);
      caught.addAll(caught(report));
    }
    assertThat(caught).as(report.output()).containsExactlyInAnyOrderElementsOf(MUTANTS);
  }

  /// The mutants that showed what is forbidden. One that ends in another way shows nothing.
  private static Set<String> caught(StressReport report) {
    assertThat(report.otherThan("OK", "FAILED")).as(report.output()).isEmpty();
    return new TreeSet<>(report.tests("FAILED"));
  }

  private StressReport run(String pattern) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of("org.openjdk.jcstress.Main", "-t", pattern, "-m", "quick", "-v", "-sc", "false"));
    command.addAll(
        List.of("-jvmArgsPrepend", "--enable-native-access=ALL-UNNAMED", "-r", results.toString()));
    Process jcstress =
        new ProcessBuilder(command).directory(results.toFile()).redirectErrorStream(true).start();
    String output = new String(jcstress.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    jcstress.waitFor();
    return new StressReport(output);
  }
}
