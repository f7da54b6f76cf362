// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.StartOptions;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What happens between the moment when a watch of a process is added and the moment when it
/// listens for the end of that process, and while it tells that end.
@Tag("C4")
@Timeout(300)
final class RemoteWatchesTest {
  private final FakeNode here = new FakeNode("a", "b", 1);
  private final FakeNode there = new FakeNode("b", "a", 1);
  private final FakeProcess watcher = here.processes.getFirst();
  private final FakeProcess watched = there.processes.getFirst();

  private void deliver() {
    while (here.deliver(there) || there.deliver(here)) {}
  }

  /// Has an action done once, when the ties of a process are asked for next.
  private static void next(FakeProcess process, Runnable action) {
    process.whenTied =
        () -> {
          process.whenTied = () -> {};
          action.run();
        };
  }

  @Test
  void watch_thatIsDroppedBeforeItListens_leavesNoListener() {
    here.remote.monitor(watcher, watched.self(), _ -> {});
    next(watched, () -> there.remote.handle(new Frame.Demonitor(watched.self())));
    deliver();
    assertThat(there.remote.counters().watches()).isZero();
    assertThat(watched.processLinks().isTied()).isFalse();
  }

  // ---- the process is gone before its watch listens ----

  /// A started process ends and can no longer be found; before its watch listens, this happens.
  private void startThatEnds(Runnable meanwhile) {
    there.starting =
        made ->
            next(
                made,
                () -> {
                  there.end(made, Reason.FAILED);
                  deliver(); // the answer, by which the other node learns its PID
                  meanwhile.run();
                  deliver();
                });
    var _ =
        here.remote.spawn("ended", StartOptions.defaults().withParent(watcher.self()).monitored());
    deliver();
    assertThat(watcher.downs.values()).extracting(Exit::reason).containsOnly(Reason.FAILED);
    assertThat(there.remote.counters().watches()).isZero();
    assertThat(here.remote.counters().standIns()).isZero();
  }

  @Test
  void link_toAProcessThatIsGone_beforeItsWatchListens_breaksWithTheRealExit() {
    startThatEnds(() -> here.remote.link(watcher, there.address(1_000)));
    assertThat(watcher.linkDowns).extracting(Exit::reason).containsExactly(Reason.FAILED);
  }

  @Test
  void monitor_ofAProcessThatIsGone_beforeItsWatchListens_reportsTheRealExit() {
    startThatEnds(() -> there.remote.handle(new Frame.Monitor(there.address(1_000))));
    assertThat(watcher.downs).hasSize(1);
  }

  // ---- what tells an exit keeps back neither other ties nor the end of the session ----

  /// An exit whose text looks at the ties and ends the session, on another thread, and waits for
  /// that.
  private static Exit endsSession(
      FakeNode of, FakeProcess process, CompletableFuture<Boolean> end) {
    Throwable failure =
        new IllegalStateException() {
          @Override
          public String getMessage() {
            if (!end.isDone()) {
              RemoteStartEndsTest.withoutWaiting(of.remote::counters);
              RemoteStartEndsTest.withoutWaiting(of::endSession);
              end.complete(true);
            }
            return "boom";
          }
        };
    return new Exit(process.self(), Reason.FAILED, null, failure);
  }

  private void exitIsToldAtOnce(Runnable tie) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    watched.end(endsSession(there, watched, ended)); // and can still be found
    tie.run();
    deliver();
    assertThat(ended).isCompleted();
    assertThat(there.remote.counters().watches()).isZero();
  }

  @Test
  @Tag("C9")
  void exitOfAMonitoredProcess_isToldWithoutTheLockOfTheTies() {
    exitIsToldAtOnce(() -> here.remote.monitor(watcher, watched.self(), _ -> {}));
  }

  @Test
  @Tag("C9")
  void exitOfALinkedProcess_isToldWithoutTheLockOfTheTies() {
    exitIsToldAtOnce(() -> here.remote.link(watcher, watched.self()));
  }

  @Test
  @Tag("C9")
  void exitOfAProcessThatLinks_isToldWithoutTheLockOfTheTies() {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    watcher.whenTied =
        () -> {
          if (!here.outbox.isEmpty() && here.outbox.getLast() instanceof Frame.Link) {
            watcher.whenTied = () -> {};
            watcher.end(endsSession(here, watcher, ended));
          }
        };
    here.remote.link(watcher, watched.self());
    assertThat(ended).isCompleted();
    assertThat(here.remote.counters().watches()).isZero();
  }
}
