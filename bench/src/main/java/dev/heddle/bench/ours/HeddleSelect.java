// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockChannel;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Select;

/// Two coroutines send, each into its channel; a third one receives from either by a fair select.
public final class HeddleSelect implements Program {
  private final int capacity;

  /// A program with channels of that capacity.
  public HeddleSelect(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public Sample round(long operations) {
    long even = operations / 2 * 2;
    long each = (StockChannel.WARM + even) / 2;
    return Heddle.run(() -> {
      Channel<Object> left = producing("left", each);
      Channel<Object> right = producing("right", each);
      var either = Select.<Object>create().onReceive(left, i -> i).onReceive(right, i -> i).fair();
      for (int i = 0; i < StockChannel.WARM; i++) {
        either.await();
      }
      Meter meter = new Meter();
      meter.start();
      for (long i = 0; i < even; i++) {
        either.await();
      }
      return meter.stop(even);
    });
  }

  private Channel<Object> producing(String name, long items) {
    Channel<Object> channel = Channel.of(capacity);
    Heddle.launch(
        name,
        () -> {
          for (long i = 0; i < items; i++) {
            channel.send(StockChannel.ITEM);
          }
        });
    return channel;
  }
}
