// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.SocketEcho;
import java.io.IOException;

/// Socket echo between coroutines: the stock program's code, unchanged.
public final class HeddleSocket implements Program {
  private final int pairs;

  /// A program of so many pairs.
  public HeddleSocket(int pairs) {
    this.pairs = pairs;
  }

  @Override
  public Sample round(long operations) throws IOException {
    try (var echo = new SocketEcho(pairs, operations)) {
      Heddle.run(() -> {
        for (int i = 0; i < pairs; i++) {
          Heddle.launch("serve", echo::serve);
          Heddle.launch("ask", echo::ask);
        }
      });
      return echo.sample();
    }
  }
}
