// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.Supervisor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Children that come and go while their supervisor runs.
@Timeout(300)
@Tag("P13")
class SupervisorAddTest {
  private final BlockingQueue<ChildStatus> changes = Kit.queue();
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private Pid supervisor(ChildSpec... children) {
    Supervisor.Builder how = Supervisor.builder().listener(changes::add);
    for (ChildSpec child : children) {
      how.child(child);
    }
    return runtime.spawn(how.build());
  }

  private static ChildSpec spec(String name) {
    return ChildSpec.of(name, Kit::resting);
  }

  private static ChildSpec job(String name) {
    return ChildSpec.of(name, () -> (_, out) -> out.done()).withRestart(Restart.TEMPORARY);
  }

  private void await(String name, State state) throws InterruptedException {
    ChildStatus change;
    do {
      change = Kit.take(changes);
    } while (!change.name().equals(name) || change.state() != state);
  }

  /// The same of several, each as `name STATE`, in whatever order they come.
  private void awaitAll(String... wanted) throws InterruptedException {
    Set<String> left = new HashSet<>(List.of(wanted));
    while (!left.isEmpty()) {
      ChildStatus change = Kit.take(changes);
      left.remove(change.name() + " " + change.state());
    }
  }

  private ChildStatus ask(Pid supervisor, Object what) {
    CompletableFuture<ChildStatus> answer = runtime.request(supervisor, what);
    return Kit.get(answer);
  }

  private List<String> children(Pid supervisor) {
    CompletableFuture<List<ChildStatus>> answer =
        runtime.request(supervisor, new Supervisor.WhichChildren());
    return Kit.get(answer).stream().map(child -> child.name() + " " + child.state()).toList();
  }

  @Test
  @Tag("proc-182")
  void add_ofTheNameOfOneThatWasEnded_startsAnotherInItsPlace() throws Exception {
    Pid supervisor = supervisor(spec("db"), spec("web").withAfter("db"));
    await("web", State.RUNNING);
    ask(supervisor, new Supervisor.StopChild("db"));
    ask(supervisor, new Supervisor.StartChild(spec("db")));
    await("db", State.RUNNING);
    assertThat(children(supervisor)).containsExactly("db RUNNING", "web RUNNING");
    assertThatThrownBy(() -> ask(supervisor, new Supervisor.StartChild(spec("db"))))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'db' already");
  }

  @Test
  void add_inThePlaceOfOneThatWasEnded_cannotBeAfterThoseThatMayBeAfterIt() throws Exception {
    Pid supervisor = supervisor(spec("db"), spec("web").withAfter("db"));
    await("web", State.RUNNING);
    ask(supervisor, new Supervisor.StopChild("db"));
    for (String name : List.of("web", "db")) {
      assertThatThrownBy(
              () -> ask(supervisor, new Supervisor.StartChild(spec("db").withAfter(name))))
          .hasRootCauseInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has not been named before it");
    }
    assertThat(children(supervisor)).containsExactly("db STOPPED", "web RUNNING");
  }

  @Test
  @Tag("proc-176")
  void temporaryChildren_thatAreOver_areForgotten_howeverManyCome() throws Exception {
    Pid supervisor = supervisor(spec("db"));
    await("db", State.RUNNING);
    for (int i = 0; i < 20; i++) {
      ask(supervisor, new Supervisor.StartChild(job("job " + i)));
      await("job " + i, State.EXITED);
    }
    assertThat(children(supervisor)).containsExactly("db RUNNING");
  }

  @Test
  void temporaryChild_thatIsOver_isKnownToThoseAfterIt() throws Exception {
    Pid supervisor = supervisor(job("migrate"), spec("db").withAfter("migrate"));
    awaitAll("migrate EXITED", "db RUNNING");
    ask(supervisor, new Supervisor.StartChild(spec("web").withAfter("migrate")));
    await("web", State.RUNNING);
    assertThat(children(supervisor)).containsExactly("migrate EXITED", "db RUNNING", "web RUNNING");
  }
}
