// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.OfferSingletons;
import java.util.Iterator;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Decides what a node says next in the log of the singletons that it can run.
///
/// A node says all in one command while that is small. What is larger it says in several commands:
/// each has a range of names, from the first one on of which the log says something else. The next
/// command follows when the log has this one.
public final class OfferPlan {
  /// Of the names of one command in a format without ranges: as many as the log takes, less what
  /// the command has besides.
  private static final int WHOLE_BYTES = RosterCodec.MOST_BYTES - 4 * 1024;

  private OfferPlan() {}

  /// The next command of a node.
  ///
  /// @param can what it can run
  /// @param known what the log says of it
  /// @param format that is in force; in one without ranges the node offers what fits into one
  ///   command
  /// @return null when there is nothing to say
  public static @Nullable OfferSingletons next(
      String node, long admission, SortedSet<String> can, SortedSet<String> known, int format) {
    if (can.equals(known)) {
      return null;
    }
    SortedSet<String> first = fitting(can, RosterCodec.PART_BYTES);
    if (first.size() == can.size()) {
      return new OfferSingletons(node, admission, can);
    }
    if (format < LogFormats.RANGES) {
      SortedSet<String> some = fitting(can, WHOLE_BYTES);
      return some.equals(known) ? null : new OfferSingletons(node, admission, some);
    }
    String from = firstDifference(can, known);
    SortedSet<String> before = can.headSet(from);
    SortedSet<String> rest = can.tailSet(from);
    SortedSet<String> names = fitting(rest, RosterCodec.PART_BYTES);
    String after = before.isEmpty() ? "" : before.last();
    String upTo = names.size() == rest.size() ? null : names.last();
    return new OfferSingletons(node, admission, after, upTo, names);
  }

  /// The first of these names that fit into so many bytes; at least one.
  private static SortedSet<String> fitting(SortedSet<String> names, int bytes) {
    SortedSet<String> first = new TreeSet<>();
    int left = bytes;
    for (String name : names) {
      left -= ModifiedUtf8.length(name);
      if (left < 0 && !first.isEmpty()) {
        return first;
      }
      first.add(name);
    }
    return first;
  }

  /// The first name that is in one of two sets that differ.
  private static String firstDifference(SortedSet<String> one, SortedSet<String> other) {
    Iterator<String> ones = one.iterator();
    Iterator<String> others = other.iterator();
    while (ones.hasNext() && others.hasNext()) {
      String mine = ones.next();
      String its = others.next();
      int order = mine.compareTo(its);
      if (order != 0) {
        return order < 0 ? mine : its;
      }
    }
    return ones.hasNext() ? ones.next() : others.next();
  }
}
