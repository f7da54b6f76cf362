// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockChannel;
import dev.heddle.sync.Channel;

/// A coroutine sends, another receives.
public final class HeddleChannel implements Program {
  private final int capacity;

  /// A program with a channel of that capacity.
  public HeddleChannel(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public Sample round(long operations) {
    return Heddle.run(() -> {
      Channel<Object> channel = Channel.of(capacity);
      Heddle.launch(
          "producer",
          () -> {
            for (long i = 0; i < StockChannel.WARM + operations; i++) {
              channel.send(StockChannel.ITEM);
            }
          });
      for (int i = 0; i < StockChannel.WARM; i++) {
        channel.receive();
      }
      Meter meter = new Meter();
      meter.start();
      for (long i = 0; i < operations; i++) {
        channel.receive();
      }
      return meter.stop(operations);
    });
  }
}
