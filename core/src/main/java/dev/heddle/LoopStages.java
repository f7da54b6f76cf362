// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.reactor.CompletionStageWait;
import dev.heddle.reactor.CompletionStageWaits;
import java.util.concurrent.CompletionStage;

/// The loop service that keeps the completion stages for which coroutines of the loop wait.
final class LoopStages implements LoopService {
  private final CompletionStageWaits waits;

  private LoopStages(LoopRuntime loop) {
    this.waits = new CompletionStageWaits(loop.scheduler(), loop.scheduler().inbox());
  }

  /// Registers the current coroutine's wait for `stage`.
  static CompletionStageWait enter(CompletionStage<?> stage) {
    LoopRuntime loop = LoopRuntime.current();
    return loop.services().get(LoopStages.class, () -> new LoopStages(loop)).waits.enter(stage);
  }

  @Override
  public void loopEnded() {
    waits.close();
  }
}
