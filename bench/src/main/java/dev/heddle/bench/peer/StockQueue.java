// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.FutureTask;

/// Queue ping-pong between two stock virtual threads.
public final class StockQueue implements Program {
  @Override
  public Sample round(long operations) throws Exception {
    var game = new QueuePingPong(operations);
    var ping = new FutureTask<>(game::ping);
    var pong =
        new FutureTask<>(() -> {
          game.pong();
          return true;
        });
    Thread.startVirtualThread(pong);
    Thread.startVirtualThread(ping);
    pong.get();
    return ping.get();
  }
}
