// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.FinishSingleton;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which singletons there are, and which nodes can run them: a part of a [Roster]. Who runs one is
/// told by the owner of its name.
public final class SingletonTable {
  /*
   * States of one singleton.
   *
   * from      event                                          to        what follows
   * (none)    DeclareSingleton                               DECLARED  since the index of the entry
   * DECLARED  DeclareSingleton, with whatever spec           same      the outcome tells the first
   *                                                                    spec; the sender compares
   * DECLARED  Register that is granted                       same      its token is the last one
   * DECLARED  FinishSingleton of this declaration, by the    (none)
   *           last token
   * DECLARED  FinishSingleton of another, or by an earlier   same      it has run again since
   *           token
   *
   * Nodes say of themselves what they can run, since only they know their labels and entries. Each
   * time they say all; what a node has said ends with its admission.
   *
   * Rejected. To compare specs here: the same input has other bytes at a node that numbers its
   * types in another way. To compare a Finish with the owner of now: the name is free for a moment
   * while the singleton moves.
   */

  /// A singleton that is declared.
  ///
  /// @param index of the entry that has declared it
  /// @param lastToken by which its name was owned last since then; 0 for none
  public record Declared(SingletonSpec spec, long index, long lastToken) {}

  private final SortedMap<String, Declared> declared = new TreeMap<>();
  private final SortedMap<String, SortedSet<String>> offers = new TreeMap<>(); // by node

  SingletonTable() {}

  /// All singletons, by name.
  public List<Declared> all() {
    return List.copyOf(declared.values());
  }

  /// The singleton with a name; null for none.
  public @Nullable Declared get(String name) {
    return declared.get(name);
  }

  /// The admitted nodes that can run a singleton, sorted.
  public SortedSet<String> candidates(String name) {
    SortedSet<String> nodes = new TreeSet<>();
    offers.forEach((node, offer) -> {
      if (offer.contains(name)) {
        nodes.add(node);
      }
    });
    return nodes;
  }

  /// The names of the singletons that a node can run, as it has said.
  public Set<String> offer(String node) {
    return Set.copyOf(offers.getOrDefault(node, new TreeSet<>()));
  }

  // ---- commands ----

  Outcome declare(long index, DeclareSingleton command) {
    SingletonSpec spec = command.spec();
    Declared kept = declared.computeIfAbsent(spec.name(), _ -> new Declared(spec, index, 0));
    return new Outcome.Declared(kept.spec());
  }

  Outcome offer(OfferSingletons command) {
    offers.put(command.node(), new TreeSet<>(command.names()));
    return new Outcome.Done();
  }

  Outcome finish(FinishSingleton command) {
    Declared known = declared.get(command.name());
    if (known != null
        && known.index() == command.declared()
        && known.lastToken() <= command.token()) {
      declared.remove(command.name());
    }
    return new Outcome.Done();
  }

  /// A name has an owner, by a token that is higher than all before.
  void granted(String name, long token) {
    declared.computeIfPresent(name, (_, it) -> new Declared(it.spec(), it.index(), token));
  }

  /// The admission of a node is over.
  void ended(String node) {
    offers.remove(node);
  }

  // ---- for RosterCodec ----

  SortedMap<String, SortedSet<String>> offers() {
    return offers;
  }

  void restore(Collection<Declared> all) {
    all.forEach(it -> declared.put(it.spec().name(), it));
  }
}
