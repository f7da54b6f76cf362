// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.QueuePingPong;

/// Queue ping-pong between two coroutines: the stock program's code, unchanged.
public final class HeddleQueue implements Program {
  @Override
  public Sample round(long operations) {
    var game = new QueuePingPong(operations);
    return Heddle.run(() -> {
      Heddle.launch("pong", game::pong);
      return Heddle.spawn("ping", game::ping).await();
    });
  }
}
