// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds where each message that a process has received was sent.
final class Messages {
  /*
   * A message has a number, which it shares with no other in that mailbox. Two of a process that
   * have the same one all the same, or one whose first was received long ago, are left out: an
   * arrow from either could be wrong.
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
    for (int thread = 0; thread < threads.size(); thread++) {
      ThreadTrace trace = threads.get(thread);
      for (int i = 0; i < trace.entries().size(); i++) {
        if (trace.is(i, TraceKind.MESSAGE) && trace.entries().message(i) != 0) {
          int track = tracks.get(thread) + (trace.isOfOthers() ? 1 : 0);
          Key key = new Key(trace.entries().who(i), trace.entries().message(i));
          sent.merge(key, new Message(track, places.get(thread)[i]), (_, _) -> SEVERAL);
        }
      }
    }
    List<@Nullable Message[]> found = new ArrayList<>();
    for (ThreadTrace trace : threads) {
      @Nullable Message[] of = new Message[trace.entries().size()];
      for (int i = 0; i < of.length; i++) {
        if (trace.is(i, TraceKind.RECEIVED)) {
          Message known = sent.get(new Key(trace.entries().who(i), trace.entries().other(i)));
          of[i] = SEVERAL.equals(known) ? null : known;
        }
      }
      found.add(of);
    }
    return found;
  }
}
