// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds which reply belongs to which command: a process uses a tag again only when the command
/// before has its reply.
final class Commands {
  /// A command.
  ///
  /// @param number of its own, in the file
  record Command(long number, String name) {}

  private record Key(long who, long tag) {}

  private record Step(long at, int thread, int entry, boolean isReply) {}

  private long numbers;

  /// The command of each entry that issues or completes one; null for all other entries, and for a
  /// reply whose command was lost.
  ///
  /// @return for each thread, by the number of the entry
  List<@Nullable Command[]> of(List<ThreadTrace> threads, List<long[]> places) {
    List<@Nullable Command[]> found = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    for (int thread = 0; thread < threads.size(); thread++) {
      ThreadTrace trace = threads.get(thread);
      found.add(new Command[trace.entries().size()]);
      for (int i = 0; i < trace.entries().size(); i++) {
        boolean isReply = trace.is(i, TraceKind.COMMAND_DONE);
        if (isReply || trace.is(i, TraceKind.COMMAND)) {
          steps.add(new Step(places.get(thread)[i], thread, i, isReply));
        }
      }
    }
    steps.sort(Comparator.comparingLong(Step::at).thenComparing(Step::isReply));
    Map<Key, Command> open = new HashMap<>();
    for (Step step : steps) {
      ThreadTrace trace = threads.get(step.thread);
      Key key = new Key(trace.entries().who(step.entry), trace.entries().other(step.entry));
      if (step.isReply) {
        found.get(step.thread)[step.entry] = open.remove(key);
      } else {
        Command command = new Command(++numbers, trace.code(step.entry));
        open.put(key, command);
        found.get(step.thread)[step.entry] = command;
      }
    }
    return found;
  }
}
