// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds where each message that a process has received was sent.
final class Messages {
  /*
   * A message has a number of 31 bits. One that was sent in an earlier recording may have that of
   * another by chance. A number that was sent to a process twice, or that it has received twice, is
   * left out: an arrow from either could be wrong. What remains is a message that was sent before
   * the recording, and one with its number that was sent in it and not received: TrackWriter draws
   * no arrow to what was received long before.
   */
  /// A message.
  ///
  /// @param track on which it was sent
  /// @param at its time
  record Message(int track, long at) {}

  private record Key(long receiver, long number) {}

  private static final Message SEVERAL = new Message(0, 0);

  private Messages() {}

  /// The messages of the entries that received them; null for all other entries.
  ///
  /// @param tracks the first one of each thread
  /// @return for each thread, by the number of the entry
  static List<@Nullable Message[]> of(
      List<ThreadTrace> threads, List<long[]> places, List<Integer> tracks) {
    Map<Key, Message> sent = new HashMap<>();
    Set<Key> received = new HashSet<>();
    for (int thread = 0; thread < threads.size(); thread++) {
      ThreadTrace trace = threads.get(thread);
      for (int i = 0; i < trace.entries().size(); i++) {
        if (trace.is(i, TraceKind.MESSAGE) && trace.entries().message(i) != 0) {
          int track = tracks.get(thread) + (trace.isOfOthers() ? 1 : 0);
          Key key = new Key(trace.entries().who(i), trace.entries().message(i));
          sent.merge(key, new Message(track, places.get(thread)[i]), (_, _) -> SEVERAL);
        } else if (trace.is(i, TraceKind.RECEIVED) && !received.add(receivedBy(trace, i))) {
          sent.put(receivedBy(trace, i), SEVERAL);
        }
      }
    }
    List<@Nullable Message[]> found = new ArrayList<>();
    for (ThreadTrace trace : threads) {
      @Nullable Message[] of = new Message[trace.entries().size()];
      for (int i = 0; i < of.length; i++) {
        if (trace.is(i, TraceKind.RECEIVED)) {
          Message known = sent.get(receivedBy(trace, i));
          of[i] = SEVERAL.equals(known) ? null : known;
        }
      }
      found.add(of);
    }
    return found;
  }

  private static Key receivedBy(ThreadTrace trace, int entry) {
    return new Key(trace.entries().who(entry), trace.entries().other(entry));
  }
}
