// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.simulation.MessageChecks;
import dev.heddle.process.simulation.SimulatedRuntime;
import java.util.List;
import java.util.Set;

/// A runtime, as its simulation sees it.
record SimulatedView(RuntimeView runtime, MessageChecks checks) implements SimulatedRuntime {
  @Override
  public String name() {
    return runtime.bean().getName();
  }

  @Override
  public boolean isClosed() {
    return runtime.isClosed().getAsBoolean();
  }

  @Override
  public List<String> processes() {
    return runtime.processes().get().stream().map(SimulatedView::describe).toList();
  }

  private static String describe(ProcessSnapshot process) {
    String text = process.pid() + " (" + process.kind() + "), " + process.state();
    return process.waitsFor() == null ? text : text + ", waits for " + process.waitsFor();
  }

  @Override
  public String dump() {
    return runtime.bean().dump();
  }

  @Override
  public Set<String> unchecked() {
    return checks.unchecked();
  }
}
