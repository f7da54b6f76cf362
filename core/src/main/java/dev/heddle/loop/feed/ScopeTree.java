// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.coroutine.tree.SpawnSites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The scopes of a loop, each after the one it is in, with how many coroutines of which spawn sites
/// are its members: read once, in pieces, when an observer asks.
///
/// A scope that ends between two pieces ends the walk there when it was the last one read: what
/// comes after it is counted as left out. Coroutines of scopes that are not listed are left out,
/// too.
///
/// **Thread** the loop's, except for the texts.
final class ScopeTree {
  private static final int MAX_SCOPES = 3_000;
  private static final int MAX_SITES = 20; // of one scope
  private static final int NONE = -1;

  /// The coroutines of one site in a scope; named is the first of them.
  private static final class Members {
    final long id;
    final @Nullable String given;
    int count;

    Members(CoroutineNode<?> first) {
      this.id = first.id();
      this.given = first.givenName();
    }
  }

  private static final class Scope {
    final ScopeNode node;
    final int number;
    final Map<Object, Members> bySite = new HashMap<>();
    int members;
    int background;

    Scope(ScopeNode node, int number) {
      this.node = node;
      this.number = number;
    }
  }

  private final IdentityHashMap<ScopeNode, Scope> byNode = new IdentityHashMap<>();
  private final List<Scope> all = new ArrayList<>(); // in the order of the walk
  private @Nullable ScopeNode root;
  private boolean isCut; // some are not listed
  private int left; // coroutines whose scope is not listed

  /// Begins at the root; returns whether there are scopes to read.
  boolean begin(ScopeNode from) {
    root = from;
    add(from);
    return true;
  }

  /// Reads so many more; returns whether there are further ones.
  boolean readScopes(int most) {
    ScopeNode top = root;
    if (top == null) {
      return false;
    }
    for (int i = 0; i < most; i++) {
      ScopeNode last = all.getLast().node;
      ScopeNode next = last.isClosed() ? null : last.nextIn(top, true);
      if (next == null || all.size() == MAX_SCOPES) {
        isCut = next != null || last.isClosed();
        return false;
      }
      add(next);
    }
    return true;
  }

  private void add(ScopeNode node) {
    Scope added = new Scope(node, all.size());
    all.add(added);
    byNode.put(node, added);
  }

  void readMember(CoroutineNode<?> c) {
    Scope scope = byNode.get(c.memberOf());
    if (c.isDone()) {
      return;
    }
    if (scope == null) {
      left++;
      return;
    }
    scope.members++;
    scope.background += c.isBackground() ? 1 : 0;
    scope.bySite.computeIfAbsent(site(c), _ -> new Members(c)).count++;
  }

  private static Object site(CoroutineNode<?> c) {
    return c.isMain() ? "main" : SpawnSites.key(c.site());
  }

  // ---- rows ----

  /// What the rows of a scope are made of. The loop only reads; texts are made of it elsewhere.
  private record Seen(
      Scope scope,
      int parent, // NONE: none that is listed
      String kind,
      long owner, // 0: none
      @Nullable String ownerName, // that it was given
      @Nullable String cancelled) {}

  private final List<Seen> seen = new ArrayList<>();
  private int nextSeen; // of `all`

  /// Reads so many more scopes for their rows; returns whether there are further ones.
  boolean readRows(int most) {
    int end = Math.min(all.size(), nextSeen + most);
    for (; nextSeen < end; nextSeen++) {
      Scope scope = all.get(nextSeen);
      if (!scope.node.isClosed()) {
        seen.add(seen(scope));
      }
    }
    return nextSeen < all.size();
  }

  private Seen seen(Scope scope) {
    ScopeNode parent = scope.node.parent();
    Scope above = parent == null ? null : byNode.get(parent);
    CoroutineNode<?> owner = scope.node.owner();
    String why = scope.node.cancelReason();
    return new Seen(
        scope,
        above == null ? NONE : above.number,
        scope.node.describe(),
        owner == null ? 0 : owner.id(),
        owner == null ? null : owner.givenName(),
        scope.node.isCancelled() ? (why == null ? "" : why) : null);
  }

  /// A row `scope` for each, after it the rows `members` of its sites, the largest first; and a row
  /// `left`. **Thread** that of the observer, when all was read.
  List<Map<String, String>> rows() {
    List<Map<String, String>> rows = new ArrayList<>();
    for (Seen each : seen) {
      rows.add(row(each));
      each.scope.bySite.entrySet().stream()
          .sorted((a, b) -> Integer.compare(b.getValue().count, a.getValue().count))
          .limit(MAX_SITES)
          .forEach(site -> rows.add(row(each.scope, site.getKey(), site.getValue())));
    }
    rows.add(
        Map.of(
            "row",
            "left",
            "scopes",
            Boolean.toString(isCut),
            "coroutines",
            Integer.toString(left)));
    return rows;
  }

  private static Map<String, String> row(Seen of) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", "scope");
    fields.put("number", Integer.toString(of.scope.number));
    fields.put("parent", of.parent == NONE ? "" : Integer.toString(of.parent));
    fields.put("kind", of.kind);
    fields.put("members", Integer.toString(of.scope.members));
    fields.put("background", Integer.toString(of.scope.background));
    if (of.owner != 0) {
      fields.put("owner", Long.toString(of.owner));
      fields.put("ownerName", CoroutineNode.label(of.owner, of.ownerName));
    }
    if (of.cancelled != null) {
      fields.put("cancelled", of.cancelled);
    }
    return fields;
  }

  private static Map<String, String> row(Scope scope, Object site, Members members) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", "members");
    fields.put("scope", Integer.toString(scope.number));
    fields.put("site", SpawnSites.describe(site));
    fields.put("count", Integer.toString(members.count));
    fields.put("id", Long.toString(members.id));
    fields.put("name", CoroutineNode.label(members.id, members.given));
    return fields;
  }
}
