// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.LoopRoot;
import dev.heddle.coroutine.tree.LoopService;
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
    LoopRoot loop = CoroutineNode.current().loop();
    return loop.services().get(AwaitedStages.class, AwaitedStages::new).waits.enter(stage);
  }

  @Override
  public void loopEnded() {
    waits.close();
  }
}
