// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;

/// A process of steps that knows its context.
abstract class Actor implements Process {
  private ProcessContext self;

  /// A step of one that needs no fields.
  @FunctionalInterface
  interface Step {
    void step(ProcessContext self, List<ProcessEvent> events, StepOutput out) throws Exception;
  }

  static Actor of(Step step) {
    return new Actor() {
      @Override
      public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
        step.step(self(), events, out);
      }
    };
  }

  @Override
  public void init(ProcessContext context, String method, Object input) {
    self = context;
  }

  final ProcessContext self() {
    return self;
  }
}
