// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The position of a scope in its tree: its parent, its children, its members, and the counts of
/// those that are left.
final class ScopeLinks {
  /*
   * Counts. `foreground` counts what keeps the scope from ending: its foreground members, its
   * running handlers, and each scope below that has a foreground itself and whose owner is not a
   * member of a scope below. (Otherwise the owner is counted instead, as long as it owns the
   * scope.) `background` likewise counts background members and the scopes below that have some.
   *
   *                              foreground
   *   server ── session ─┬─ a     server 1 (session), session 2 (a, b)
   *             (child)  └─ b ─── block ── c      c counts in the block of b only: b waits for it
   *
   * When a count becomes 1 or 0, the parent scope is updated. So both counts are exact, at the
   * price of one step upwards at the first member and one at the last.
   *
   * Keeping the loop alive. A coroutine does so unless it is a background member or belongs to a
   * daemon scope. A scope is a daemon once it drains, and if it is below a daemon scope or below a
   * member that does not keep the loop alive.
   *
   * Threads. The loop's.
   *
   * I1. If a scope has a foreground, so has its parent, or the scope has an owner that waits.
   *     [ScopeTreeTest]
   * I2. The tree's keepAliveCount is the number of coroutines whose keepsLoopAlive() is true.
   *     [ScopeTreeTest]
   *
   * Sources. loop-105, loop-108 to loop-110, loop-120, loop-121, loop-289, loop-290, loop-302.
   */
  private final CoroutineTree tree;
  private final ScopeNode scope;
  final @Nullable ScopeNode parent;
  final @Nullable CoroutineNode<?> owner;
  final int shields; // the owner's shields around it

  // loop only
  private @Nullable ScopeLinks countingParent; // the parent, if it counts this one
  private @Nullable ScopeNode previousSibling;
  private @Nullable ScopeNode nextSibling;
  private @Nullable ScopeNode firstChild;
  private @Nullable ScopeNode lastChild;
  private @Nullable CoroutineNode<?> firstMember;
  private @Nullable CoroutineNode<?> lastMember;
  private int foreground;
  private int background;
  private boolean daemon;

  ScopeLinks(
      CoroutineTree tree,
      ScopeNode scope,
      @Nullable ScopeNode parent,
      @Nullable CoroutineNode<?> owner) {
    this.tree = tree;
    this.scope = scope;
    this.parent = parent;
    this.owner = owner;
    this.shields = owner == null ? 0 : owner.shields();
    if (parent != null) {
      this.countingParent = owner == null || parent.owner() == owner ? parent.links : null;
      this.daemon = parent.links.daemon;
    }
    this.daemon |= owner != null && !owner.keepsLoopAlive();
  }

  // ---- counts ----

  int foreground() {
    return foreground;
  }

  int background() {
    return background;
  }

  boolean isEmpty() {
    return foreground + background == 0;
  }

  void gainForeground() {
    for (ScopeLinks s = this; s != null && s.foreground++ == 0; s = s.countingParent) {
      // the scope above counts the first one
    }
  }

  void loseForeground() {
    for (ScopeLinks s = this; s != null && --s.foreground == 0; s = s.countingParent) {
      s.scope.drained();
    }
  }

  private void gainBackground() {
    for (ScopeLinks s = this; s != null && s.background++ == 0; s = s.countingParent) {
      // the scope above counts the first one
    }
  }

  private void loseBackground() {
    for (ScopeLinks s = this; s != null && --s.background == 0; s = s.countingParent) {
      s.scope.drained();
    }
  }

  /// Called when the owner has left it behind and no longer counts in its place: the parent counts
  /// it.
  void countInParent() {
    if (countingParent == null && parent != null) {
      countingParent = parent.links;
      if (foreground > 0) {
        parent.links.gainForeground();
      }
      if (background > 0) {
        parent.links.gainBackground();
      }
    }
  }

  // ---- members ----

  /// Adds a member and queues it, all or nothing even if the stack overflows: calls that can
  /// overflow come first, the code after them calls nothing.
  void admit(CoroutineNode<?> member) {
    tree.host().spawned(member); // first, since it may overflow the stack
    boolean inBackground = member.isBackground();
    boolean isNeeded = member.keepsLoopAlive();
    member.enqueue();
    CoroutineNode<?> before = lastMember;
    member.previous = before;
    if (before == null) {
      firstMember = member;
    } else {
      before.next = member;
    }
    lastMember = member;
    if (inBackground) {
      for (ScopeLinks s = this; s != null && s.background++ == 0; s = s.countingParent) {
        // gainBackground(), inlined
      }
    } else {
      for (ScopeLinks s = this; s != null && s.foreground++ == 0; s = s.countingParent) {
        // gainForeground(), inlined
      }
    }
    tree.liveCount++;
    tree.keepAliveCount += isNeeded ? 1 : 0;
    tree.remainingCancelled = false;
  }

  void unlink(CoroutineNode<?> member) {
    CoroutineNode<?> before = member.previous;
    CoroutineNode<?> after = member.next;
    if (before == null) {
      firstMember = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      lastMember = before;
    } else {
      after.previous = before;
    }
    member.previous = null;
    member.next = null;
  }

  void countOff(CoroutineNode<?> member) {
    if (member.isBackground()) {
      loseBackground();
    } else {
      loseForeground();
    }
    ScopeNode served = member.serves();
    if (served != null) {
      served.links.loseForeground();
    }
    tree.memberLeft(member.keepsLoopAlive());
  }

  @Nullable CoroutineNode<?> firstMember() {
    return firstMember;
  }

  List<CoroutineNode<?>> ownMembers() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    for (CoroutineNode<?> member = firstMember; member != null; member = member.next) {
      found.add(member);
    }
    return found;
  }

  List<CoroutineNode<?>> members() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    for (ScopeNode s = scope; s != null; s = s.nextIn(scope, true)) {
      found.addAll(s.ownMembers());
    }
    return found;
  }

  /// The coroutines that keep the scope from ending by themselves. The owner of a scope represents
  /// all coroutines in it, so a report of nested scopes names each coroutine once.
  List<CoroutineNode<?>> awaitedMembers() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    ScopeNode s = scope;
    while (s != null) {
      boolean counts = s == scope || s.links.isPartOfParent();
      if (counts) {
        found.addAll(s.ownMembers());
      }
      s = s.nextIn(scope, counts);
    }
    return found;
  }

  // ---- scopes below ----

  void linkChild(ScopeNode child) {
    ScopeNode before = lastChild;
    child.links.previousSibling = before;
    if (before == null) {
      firstChild = child;
    } else {
      before.links.nextSibling = child;
    }
    lastChild = child;
  }

  void unlinkChild(ScopeNode child) {
    ScopeLinks removed = child.links;
    ScopeNode before = removed.previousSibling;
    ScopeNode after = removed.nextSibling;
    if (before == null) {
      firstChild = after;
    } else {
      before.links.nextSibling = after;
    }
    if (after == null) {
      lastChild = before;
    } else {
      after.links.previousSibling = before;
    }
    removed.previousSibling = null;
    removed.nextSibling = null;
  }

  List<ScopeNode> children() {
    List<ScopeNode> found = new ArrayList<>();
    for (ScopeNode c = firstChild; c != null; c = c.links.nextSibling) {
      found.add(c);
    }
    return found;
  }

  @Nullable ScopeNode nextIn(ScopeNode top, boolean below) {
    if (below && firstChild != null) {
      return firstChild;
    }
    ScopeNode s = scope;
    while (s != null && s != top) {
      if (s.links.nextSibling != null) {
        return s.links.nextSibling;
      }
      s = s.links.parent;
    }
    return null;
  }

  boolean encloses(@Nullable ScopeNode other) {
    for (ScopeNode s = other; s != null; s = s.links.parent) {
      if (s == scope) {
        return true;
      }
    }
    return false;
  }

  /// Whether a shield is between this scope and its parent: cancellations from above wait for its
  /// end.
  boolean isShielded() {
    int outside = parent != null && parent.owner() == owner ? parent.links.shields : 0;
    return shields > outside;
  }

  /// Whether the parent counts it: it is part of the parent, not only of one of the parent's
  /// members.
  boolean isPartOfParent() {
    return countingParent != null;
  }

  // ---- keeping the loop alive ----

  boolean isDaemon() {
    return daemon;
  }

  void becomeDaemon() {
    int released = 0;
    for (ScopeNode s = scope; s != null; s = s.nextIn(scope, true)) {
      released += s.links.release();
    }
    tree.keepAliveReleased(released);
  }

  private int release() {
    if (daemon) {
      return 0;
    }
    int needed = 0;
    for (CoroutineNode<?> m = firstMember; m != null; m = m.next) {
      needed += m.keepsLoopAlive() ? 1 : 0;
    }
    daemon = true;
    for (CoroutineNode<?> m = firstMember; m != null; m = m.next) {
      needed -= m.keepsLoopAlive() ? 1 : 0; // internal ones still do
    }
    return needed;
  }
}
