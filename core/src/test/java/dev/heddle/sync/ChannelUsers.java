// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.util.ArrayList;
import java.util.List;

/// Coroutines that use channels, for the tests of channels: they note what they got and sent.
class ChannelUsers {
  final List<Object> log = new ArrayList<>();

  Coroutine<?> receiver(Channel<?> channel, String name) {
    return Heddle.spawn(
        name,
        () -> {
          Object item = channel.receive();
          log.add(name + " got " + item);
          return item;
        });
  }

  <T> Coroutine<?> sender(Channel<T> channel, T item) {
    return Heddle.spawn(
        "sender of " + item,
        () -> {
          channel.send(item);
          log.add("sent " + item);
        });
  }

  /// Lets every coroutine that is ready run until it waits.
  static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  static ChannelClosedException closedBy(Runnable wait) {
    return (ChannelClosedException) catchThrowable(wait::run);
  }
}
