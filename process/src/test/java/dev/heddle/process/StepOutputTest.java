// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a step says.
class StepOutputTest {
  @Test
  @Tag("proc-95")
  void saysWhatTheStepSaid() {
    StepOutput out = new StepOutput();
    assertThat(out.status()).isEqualTo(StepOutput.Status.IDLE);
    out.yield(7, new Kit.Call("x"));
    assertThat(out.status()).isEqualTo(StepOutput.Status.YIELD);
    out.yieldOnly();
    assertThat(out.status()).isEqualTo(StepOutput.Status.YIELD_ONLY);
    out.again();
    assertThat(out.status()).isEqualTo(StepOutput.Status.CONTINUE);
    out.idle();
    assertThat(out.status()).isEqualTo(StepOutput.Status.IDLE);
    out.done("result");
    assertThat(out.status()).isEqualTo(StepOutput.Status.DONE);
    assertThat(out.result()).isEqualTo("result");
    out.reset();
    assertThat(out.status()).isEqualTo(StepOutput.Status.IDLE);
    assertThat(out.result()).isNull();
    assertThat(out.yields()).isEmpty();
  }

  @Test
  @Tag("proc-95")
  void commands_keepTheirOrder_howeverMany() {
    StepOutput out = new StepOutput();
    for (int i = 0; i < 5; i++) {
      out.yield(i, new Kit.Call("c" + i));
    }
    List<StepOutput.Yield> expected =
        IntStream.range(0, 5)
            .mapToObj(i -> new StepOutput.Yield(i, new Kit.Call("c" + i)))
            .toList();
    assertThat(out.yields()).isEqualTo(expected);
    assertThat(IntStream.range(0, out.yieldCount()).mapToObj(out::yieldAt)).isEqualTo(expected);
  }
}
