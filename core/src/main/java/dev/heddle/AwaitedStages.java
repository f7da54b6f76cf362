// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.loop.LoopRoot;
import dev.heddle.loop.LoopService;
import dev.heddle.reactor.StageWait;
import dev.heddle.reactor.StageWaits;
import java.util.concurrent.CompletionStage;

/// The stages that the coroutines of a loop wait for, as one of the loop's services.
final class AwaitedStages implements LoopService {
  private final StageWaits waits;

  private AwaitedStages(LoopRoot loop) {
    this.waits = new StageWaits(loop.scheduler(), loop.scheduler().inbox());
  }

  /// Begins a wait of the current coroutine.
  static StageWait enter(CompletionStage<?> stage) {
    LoopRoot loop = LoopRoot.current();
    return loop.services()
        .get(AwaitedStages.class, () -> new AwaitedStages(loop))
        .waits
        .enter(stage);
  }

  @Override
  public void loopEnded() {
    waits.close();
  }
}
