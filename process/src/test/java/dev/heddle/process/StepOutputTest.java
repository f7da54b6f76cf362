// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a step says.
class StepOutputTest {
  @Test
  @Tag("proc-95")
  void saysWhatTheStepSaid() {
    StepOutput out = new StepOutput();
    assertThat(out.status()).isEqualTo(StepOutput.Status.IDLE);
    out.execute(7, new Kit.Call("x"));
    assertThat(out.status()).isEqualTo(StepOutput.Status.EXECUTING);
    out.awaitCommands();
    assertThat(out.status()).isEqualTo(StepOutput.Status.AWAIT_COMMANDS);
    out.continueNow();
    assertThat(out.status()).isEqualTo(StepOutput.Status.CONTINUE);
    out.idle();
    assertThat(out.status()).isEqualTo(StepOutput.Status.IDLE);
    out.done("result");
    assertThat(out.status()).isEqualTo(StepOutput.Status.DONE);
    assertThat(out.result()).isEqualTo("result");
    out.reset();
    assertThat(out.status()).isEqualTo(StepOutput.Status.IDLE);
    assertThat(out.result()).isNull();
    assertThat(out.commands()).isEmpty();
  }

  @Test
  @Tag("proc-95")
  void commands_keepTheirOrder_howeverMany() {
    StepOutput out = new StepOutput();
    for (int i = 0; i < 5; i++) {
      out.execute(i, new Kit.Call("c" + i));
    }
    List<StepOutput.TaggedCommand> expected =
        IntStream.range(0, 5)
            .mapToObj(i -> new StepOutput.TaggedCommand(i, new Kit.Call("c" + i)))
            .toList();
    assertThat(out.commands()).isEqualTo(expected);
    assertThat(IntStream.range(0, out.commandCount()).mapToObj(out::commandAt)).isEqualTo(expected);
  }

  @Test
  void afterTheStep_isRefused_insteadOfBeingLost() throws Exception {
    BlockingQueue<StepOutput> kept = Kit.queue();
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      Pid pid = runtime.spawn((_, out) -> kept.add(out));
      while (Objects.requireNonNull(runtime.process(pid)).state() != ProcessSnapshot.State.IDLE) {
        Thread.onSpinWait();
      }
      StepOutput late = Kit.take(kept);
      List<ThrowingCallable> all =
          List.of(
              late::done,
              () -> late.done("x"),
              late::idle,
              late::continueNow,
              late::continueBeforeMessages,
              () -> late.failWith(new IllegalStateException("x")),
              late::awaitCommands,
              late::awaitWakeUp,
              () -> late.upgrade("x", Process.RUN, null),
              () -> late.execute(1, new Kit.Call("x")));
      assertThat(all)
          .allSatisfy(each ->
              assertThatThrownBy(each)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("the step is over"));
    }
  }
}
