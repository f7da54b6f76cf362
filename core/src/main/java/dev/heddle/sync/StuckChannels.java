// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.observe.DumpPart;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The channels of a loop that were closed because coroutines waited for them in vain: a part of
/// its dumps and of its deadlock report, since a later deadlock may follow from that.
///
/// **Thread** the loop's.
final class StuckChannels implements Supplier<DumpPart> {
  private static final int MAX = 16; // the newest ones

  private final Deque<String> closed = new ArrayDeque<>();
  private int number;

  private StuckChannels() {}

  static StuckChannels of(CoroutineTree tree) {
    for (Supplier<DumpPart> part : tree.dumpParts()) {
      if (part instanceof StuckChannels there) {
        return there;
      }
    }
    StuckChannels added = new StuckChannels();
    var _ = tree.addDumpPart(added);
    return added;
  }

  void add(String channel) {
    if (closed.size() == MAX) {
      closed.removeFirst();
    }
    closed.addLast(channel);
    number++;
  }

  @Override
  public DumpPart get() {
    return new Snapshot(number, List.copyOf(closed));
  }

  private record Snapshot(int number, List<String> newest) implements DumpPart {
    @Override
    public String text() {
      String heading =
          number == newest.size()
              ? "Channels that were closed because they were stuck:\n"
              : "The newest of %s channels that were closed because they were stuck:\n"
                  .formatted(number);
      return newest.stream().collect(Collectors.joining("\n  ", heading + "  ", "\n"));
    }

    @Override
    public String json() {
      return newest.stream()
          .map(channel -> '"' + channel.replaceAll("[\"\\\\\\p{Cntrl}]", " ") + '"')
          .collect(
              Collectors.joining(", ", "{\"stuckChannels\": " + number + ", \"newest\": [", "]}"));
    }
  }
}
