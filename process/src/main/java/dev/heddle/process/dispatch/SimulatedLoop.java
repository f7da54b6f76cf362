// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.process.simulation.ProcessWorld;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// The loop of a simulation, on which the commands of its runtimes run as coroutines. A blocking
/// call is a coroutine too: it waits in the JDK, and others run meanwhile.
public final class SimulatedLoop extends CommandLoop {
  private final ProcessWorld world;

  public SimulatedLoop(HeddleOptions options, ProcessWorld world) {
    super(options);
    this.world = world;
  }

  @Override
  Loop<?> current() {
    if (isClosed()) {
      throw refused();
    }
    return world.loop();
  }

  @Override
  <R extends @Nullable Object> R offload(Callable<R> call) throws Exception {
    return call.call();
  }

  /// Refuses further commands. The loop goes on: it is the simulation's.
  @Override
  public boolean close(Duration deadline) {
    var _ = refuseCommands();
    return true;
  }
}
