// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A process that hands a body all that it is given: at once, or one by one until the body has
/// asked for an upgrade.
class Handing implements Process {
  private final CoroutineProcess body;
  private final boolean oneByOne;
  private final UnaryOperator<ProcessContext> context;

  Handing(CoroutineProcess body, boolean oneByOne) {
    this(body, oneByOne, UnaryOperator.identity());
  }

  /// @param context what the body is given in place of the context
  Handing(CoroutineProcess body, boolean oneByOne, UnaryOperator<ProcessContext> context) {
    this.body = body;
    this.oneByOne = oneByOne;
    this.context = context;
  }

  @Override
  public void init(ProcessContext self, String method, @Nullable Object input) throws Exception {
    body.init(context.apply(self), method, input);
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    if (!oneByOne || events.isEmpty()) {
      body.step(events, out);
      return;
    }
    for (ProcessEvent event : events) {
      body.step(List.of(event), out);
      if (out.upgrade() != null) {
        return;
      }
    }
  }

  @Override
  public void close() {
    body.close();
  }
}
