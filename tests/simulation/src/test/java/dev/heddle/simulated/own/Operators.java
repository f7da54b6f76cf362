// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.own;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.simulated.program.Threads;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Channels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A chain of operators over a channel, whose sender, receiver and scope come and go.
///
/// What comes out is a subsequence of what went in, in order; the last item comes out when both
/// ends are orderly; `chunked` loses nothing. When the receiver has gone, the sender is told.
final class Operators {
  private static final int ITEMS = 10;

  private final Random random = new Random();
  private final Channel<Integer> source = Channel.of(random.nextInt(3));
  private final List<Integer> out = new ArrayList<>();
  private boolean senderWasTold;

  private Operators() {}

  /// A row of [OwnParts].
  static void run(Threads threads) {
    new Operators().play();
  }

  private Duration shortTime() {
    return Duration.ofMillis(1 + random.nextInt(5));
  }

  private void play() {
    int stopAt = random.nextInt(3) == 0 ? random.nextInt(3) : Integer.MAX_VALUE;
    boolean[] dropping = new boolean[1];
    Heddle.supervise(() -> {
      Channel<Integer> end = source;
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        end = addOperator(end, dropping);
      }
      Channel<List<Integer>> lists =
          random.nextBoolean()
              ? Channels.chunked(end, 1 + random.nextInt(3))
              : Channels.chunked(end, 1 + random.nextInt(3), shortTime());
      Coroutine<?> sender = Heddle.spawn(this::send);
      receive(lists, stopAt);
      var _ = sender.await();
    });
    boolean whole = stopAt == Integer.MAX_VALUE;
    check(whole || senderWasTold || source.isClosed(), "the sender was not told");
    for (int i = 1; i < out.size(); i++) {
      check(out.get(i - 1) < out.get(i), "out of order: " + out);
    }
    if (whole) {
      check(!out.isEmpty() && (dropping[0] || out.size() == ITEMS), "lost: " + out);
    }
  }

  private Channel<Integer> addOperator(Channel<Integer> from, boolean[] dropping) {
    dropping[0] = true;
    return switch (random.nextInt(4)) {
      case 0 -> Channels.debounce(from, shortTime());
      case 1 -> Channels.throttleFirst(from, shortTime());
      case 2 -> Channels.sample(from, shortTime());
      default -> {
        dropping[0] = false;
        yield from;
      }
    };
  }

  private void send() {
    try {
      for (int i = 0; i < ITEMS; i++) {
        source.send(i);
        if (random.nextBoolean()) {
          Heddle.delay(Duration.ofMillis(random.nextInt(4)));
        }
      }
      source.close();
    } catch (ChannelClosedException _) {
      senderWasTold = true;
    }
  }

  private void receive(Channel<List<Integer>> lists, int stopAt) {
    for (List<Integer> list : lists) {
      check(!list.isEmpty(), "an empty list");
      out.addAll(list);
      if (out.size() > stopAt) {
        lists.cancel();
        return;
      }
      if (random.nextInt(3) == 0) {
        Heddle.delay(Duration.ofMillis(random.nextInt(4)));
      }
    }
  }
}
