// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.DeclareSingleton;
import dev.heddle.cluster.roster.Command.FinishSingleton;
import dev.heddle.cluster.roster.Command.OfferSingletons;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
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
   * Nodes say of themselves what they can run, since only they know their labels and entries. They
   * say all, or all of a range of names: see [OfferPlan]. What a node has said ends with its
   * admission.
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

  private static final SortedSet<String> NONE = Collections.emptySortedSet();

  private final SortedMap<String, Declared> declared = new TreeMap<>();
  private final SortedMap<String, SortedSet<String>> offers = new TreeMap<>(); // by node
  private Map<String, SortedSet<String>> candidates = Map.of(); // by singleton: the same, turned

  SingletonTable() {}

  /// All singletons, by name: a view, which changes with the table.
  public Collection<Declared> all() {
    return Collections.unmodifiableCollection(declared.values());
  }

  /// The singleton with a name; null for none.
  public @Nullable Declared get(String name) {
    return declared.get(name);
  }

  /// The admitted nodes that can run a singleton, sorted: the same object until an offer changes.
  public SortedSet<String> candidates(String name) {
    return candidates.getOrDefault(name, NONE);
  }

  /// The names of the singletons that a node can run, as it has said.
  public SortedSet<String> offer(String node) {
    return offers.getOrDefault(node, NONE);
  }

  /// Offers change when nodes come and go; nodes look at the candidates many times a second.
  private void offersChanged() {
    Map<String, SortedSet<String>> nodes = new HashMap<>();
    offers.forEach((node, offer) ->
        offer.forEach(name -> nodes.computeIfAbsent(name, _ -> new TreeSet<>()).add(node)));
    nodes.replaceAll((_, able) -> Collections.unmodifiableSortedSet(able));
    candidates = nodes;
  }

  // ---- commands ----

  Outcome declare(long index, DeclareSingleton command) {
    SingletonSpec spec = command.spec();
    Declared kept = declared.computeIfAbsent(spec.name(), _ -> new Declared(spec, index, 0));
    return new Outcome.Declared(kept.spec());
  }

  Outcome offer(OfferSingletons command) {
    SortedSet<String> all = new TreeSet<>(offers.getOrDefault(command.node(), NONE));
    all.removeIf(command::contains);
    all.addAll(command.names());
    offers.put(command.node(), Collections.unmodifiableSortedSet(all));
    offersChanged();
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
    offersChanged();
  }

  // ---- for RosterCodec ----

  SortedMap<String, SortedSet<String>> offers() {
    return offers;
  }

  void restore(Collection<Declared> all, Map<String, SortedSet<String>> offered) {
    all.forEach(it -> declared.put(it.spec().name(), it));
    offers.putAll(offered);
    offersChanged();
  }
}
