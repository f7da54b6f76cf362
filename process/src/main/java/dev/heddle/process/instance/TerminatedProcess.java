// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;

/// Replaces the code of a terminated process, which may be large.
final class TerminatedProcess implements Process {
  static final Process PROCESS = new TerminatedProcess();

  private TerminatedProcess() {}

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) {
    throw new IllegalStateException("it has ended");
  }
}
