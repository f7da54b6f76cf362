// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The process around an entity, step by step.
@Timeout(300)
class EntityProcessTest {
  private static final int MESSAGES = 20_000;

  /// Does in each step what comes next in a list; else it is idle.
  private static final class Scripted implements Process {
    final Queue<Consumer<StepOutput>> script = new ArrayDeque<>();
    final List<Object> steps = new ArrayList<>();
    boolean isClosed;

    @Override
    public void init(ProcessContext context, String entryPoint, @Nullable Object input) {
      steps.add("init");
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      steps.add(events.stream().map(ProcessEvent::data).toList());
      Consumer<StepOutput> next = script.poll();
      if (next != null) {
        next.accept(out);
      }
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private final Scripted entity = new Scripted();
  private boolean mayAct = true;
  private final EntityProcess process = new EntityProcess(() -> entity, () -> mayAct);

  private static ProcessEvent event(Object message) {
    EntityMessage of = new EntityMessage("a", "k", 0, new Payload(message, null), 10);
    return ProcessEvent.message(new Delivery(of, _ -> {}));
  }

  @SuppressWarnings("NullAway") // the entity looks at neither
  private void init() throws Exception {
    process.init(null, "", null);
  }

  private Status step(ProcessEvent... events) throws Exception {
    StepOutput out = new StepOutput();
    process.step(List.of(events), out);
    return out.status();
  }

  @Test
  @Tag("C3")
  void entity_thatIsWokenUp_isStepped_alsoWhenMessagesComeWithIt() throws Exception {
    entity.script.add(StepOutput::awaitWakeUp);
    init();
    assertThat(step()).isEqualTo(Status.AWAIT_WAKE_UP);

    assertThat(step(event("1"))).isEqualTo(Status.IDLE);

    assertThat(entity.steps).containsExactly("init", List.of(), List.of("1"));
  }

  @ParameterizedTest
  @MethodSource("awaiting")
  @Tag("C3")
  void entity_thatAlwaysAwaitsSomethingElse_getsWhatHasComeByThen_andNoMore(
      Consumer<StepOutput> await, Status status) throws Exception {
    entity.script.addAll(Collections.nCopies(6, await));
    init();
    assertThat(step()).isEqualTo(status);

    assertThat(step(event("1"), event("2"), event("3"))).isEqualTo(Status.CONTINUE); // it has come
    assertThat(step()).isEqualTo(Status.CONTINUE);
    assertThat(step(event("4"))).isEqualTo(status); // that one waits for the next time
    assertThat(step()).isEqualTo(status);
    assertThat(step()).isEqualTo(status);

    assertThat(entity.steps)
        .containsExactly(
            "init", List.of(), List.of("1"), List.of("2"), List.of("3"), List.of("4"), List.of());
  }

  static Stream<Arguments> awaiting() {
    Consumer<StepOutput> wakeUp = StepOutput::awaitWakeUp;
    Consumer<StepOutput> commands = StepOutput::awaitCommands;
    return Stream.of(
        Arguments.of(wakeUp, Status.AWAIT_WAKE_UP), Arguments.of(commands, Status.AWAIT_COMMANDS));
  }

  @Test
  @Tag("C6")
  void entity_whoseNodeMayNotAct_isNotStepped_neitherByAMessageNorByASignal() throws Exception {
    init();
    assertThat(step()).isEqualTo(Status.IDLE);
    mayAct = false;

    assertThat(step(ProcessEvent.completed(1, "timer"))).isEqualTo(Status.SHUTDOWN);
    process.close();

    assertThat(entity.steps).containsExactly("init", List.of());
    assertThat(entity.isClosed).isTrue();
  }

  @Test
  @Tag("C6")
  void entity_whoseNodeMayNotAct_doesNotBegin() throws Exception {
    mayAct = false;
    init();
    mayAct = true; // another admission may follow: this entity is none of it

    assertThat(step(event("1"))).isEqualTo(Status.SHUTDOWN);
    process.close();

    assertThat(entity.steps).isEmpty();
  }

  @Test
  @Tag("C3")
  void body_thatYieldsWhileMessagesCome_takesThemAll() throws Exception {
    CompletableFuture<Integer> taken = new CompletableFuture<>();
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      Process body =
          CoroutineProcess.ofAction(self -> {
            for (int i = 0; i < MESSAGES; i++) {
              assertThat(self.receive()).isEqualTo(i);
              if (i % 3 == 0) {
                Thread.yield(); // it waits to be woken up
              }
            }
            taken.complete(MESSAGES);
          });
      var pid = runtime.spawn(new EntityProcess(() -> body, () -> true));
      for (int i = 0; i < MESSAGES; i++) {
        ProcessEvent message = event(i);
        while (!runtime.offer(pid, message.data()).isAccepted()) {
          Thread.yield();
        }
      }
      assertThat(taken.get(100, TimeUnit.SECONDS)).isEqualTo(MESSAGES);
    }
  }
}
