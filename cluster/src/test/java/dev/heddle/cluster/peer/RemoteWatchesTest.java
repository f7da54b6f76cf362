// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Exit;
import dev.heddle.process.Exit.Reason;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
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
    next(watched, () -> there.remote.handle(List.of(new Frame.Demonitor(watched.self()))));
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
    startThatEnds(() -> there.remote.handle(List.of(new Frame.Monitor(there.address(1_000)))));
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

  // ---- what fails while an exit is told ----

  /// A failure of the program, of which nothing can be read.
  private static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new AssertionError();
    }
  }

  @Test
  void exitWhoseTextThrows_isToldByItsReason_andToAllOthers() {
    here.remote.monitor(watcher, watched.self(), _ -> {});
    deliver();
    List<Exit> others = new ArrayList<>();
    watched.processLinks().onExit(others::add); // behind the watch
    watched.end(new Exit(watched.self(), Reason.FAILED, null, new Unreadable()));
    deliver();
    assertThat(watcher.downs.values()).extracting(Exit::reason).containsExactly(Reason.FAILED);
    assertThat(others).hasSize(1);
    assertThat(there.remote.counters().watches()).isZero();
  }

  /// A process that fails the first times when it is told of an end.
  private static ProcessLinks.Owner failing(FakeProcess process, int times) {
    return (ProcessLinks.Owner)
        Proxy.newProxyInstance(
            ProcessLinks.Owner.class.getClassLoader(),
            new Class<?>[] {ProcessLinks.Owner.class},
            new InvocationHandler() {
              private int left = times;

              @Override
              public @Nullable Object invoke(Object proxy, Method method, Object[] arguments)
                  throws Throwable {
                if (method.getName().equals("monitorFired") && left-- > 0) {
                  throw new OutOfMemoryError("of a test");
                }
                return method.invoke(process, arguments);
              }
            });
  }

  @Test
  void endOfTheSession_whenTellingOneExitFails_isToldToTheOthers() {
    for (int i = 0; i < 20; i++) {
      ProcessLinks.Owner failing = failing(new FakeProcess(here.address(100 + i)), 1 << 30);
      here.remote.monitor(failing, there.address(500 + i), _ -> {});
    }
    here.remote.monitor(watcher, watched.self(), _ -> {});
    CompletableFuture<Exit> exit = here.remote.whenExited(there.address(600));

    here.endSession();

    assertThat(watcher.downs.values())
        .extracting(Exit::reason)
        .containsExactly(Reason.NO_CONNECTION);
    assertThat(exit).isCompleted();
  }

  /// Three monitor the same process, and the second fails when it is told, twice.
  private List<FakeProcess> monitorsOfWhichOneFails() {
    List<FakeProcess> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      FakeProcess process = new FakeProcess(here.address(100 + i));
      all.add(process);
      here.remote.monitor(failing(process, i == 1 ? 2 : 0), watched.self(), _ -> {});
    }
    deliver();
    return all;
  }

  private void assertToldOnce(List<FakeProcess> all, Reason reason) {
    assertThat(all.get(0).downs).hasSize(1);
    assertThat(all.get(1).downs).isEmpty();
    assertThat(all.get(2).downs).isEmpty();
    here.retry(); // fails again
    here.retry();
    assertThat(all)
        .allSatisfy(process -> {
          assertThat(process.downs.values()).extracting(Exit::reason).containsExactly(reason);
          assertThat(process.faults).isEmpty();
        });
    assertThat(here.hasRetries()).isFalse();
  }

  @Test
  void endOfTheSession_thatWasToldHalf_isToldToTheOthersLater_onceEach() {
    List<FakeProcess> all = monitorsOfWhichOneFails();
    here.endSession();
    assertToldOnce(all, Reason.NO_CONNECTION);
  }

  @Test
  void exitOfAProcess_thatWasToldHalf_isToldToTheOthersLater_onceEach() {
    List<FakeProcess> all = monitorsOfWhichOneFails();
    watched.end(Reason.FAILED);
    deliver();
    assertToldOnce(all, Reason.FAILED);
  }
}
