// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The place of a scope in its tree: what stands above and below it, and how much of that is still
/// there.
abstract sealed class Branch permits CancellableBranch {
  /*
   * Counts. `foreground` counts what keeps the scope from its end: its members in the foreground, the handlers that run for it,
   * and each scope below that has a foreground itself and whose owner is not a member somewhere below (else the owner counts, for
   * as long as it owns). `background` likewise counts its background members and the scopes below that have some.
   *
   *                              foreground
   *   server ── session ─┬─ a     server 1 (session), session 2 (a, b)
   *             (child)  └─ b ─── block ── c      c counts in the block of b only: b waits for it
   *
   * A count that becomes 1 or 0 is told to the scope above, so both are as exact as the members, at the price of one step up for
   * the first member and the last.
   *
   * Needed. A coroutine keeps the loop alive unless it is a background member or belongs to a spare scope: one whose started
   * members were left to finish, and every scope below such a one or below a background member.
   *
   * Threads. The loop's.
   *
   * I1. A scope above a scope with a foreground has one, or an owner that waits. [ScopeTreeTest]
   * I2. The loop's count of needed coroutines is the number of those that isNeeded() says yes for. [ScopeTreeTest]
   *
   * Sources. DESIGN 3.6; behaviour 105, 108-110, 120, 121, 289, 290, 302.
   */
  final LoopRoot loop;
  final @Nullable ScopeNode parent;
  final @Nullable CoroutineNode<?> owner;
  final int shields; // protect blocks of the owner around it

  // loop only
  private @Nullable ScopeNode told; // the scope above, when it counts this one
  private @Nullable ScopeNode previousSibling;
  private @Nullable ScopeNode nextSibling;
  private @Nullable ScopeNode firstChild;
  private @Nullable ScopeNode lastChild;
  private @Nullable CoroutineNode<?> firstMember;
  private @Nullable CoroutineNode<?> lastMember;
  private int foreground;
  private int background;
  private boolean spare;

  Branch(LoopRoot loop, @Nullable ScopeNode parent, @Nullable CoroutineNode<?> owner) {
    this.loop = loop;
    this.parent = parent;
    this.owner = owner;
    this.shields = owner == null ? 0 : owner.shields();
    this.told = owner == null || parent == null || parent.owner == owner ? parent : null;
    this.spare = (parent != null && parent.isSpare()) || (owner != null && !owner.isNeeded());
  }

  abstract ScopeNode self();

  /// Nothing of it is left in the foreground.
  abstract void foregroundGone();

  /// Nothing of it is left in the background.
  abstract void backgroundGone();

  // ---- counts ----

  final int foreground() {
    return foreground;
  }

  final int background() {
    return background;
  }

  final boolean isEmpty() {
    return foreground + background == 0;
  }

  final void gainForeground() {
    for (Branch b = this; b != null && b.foreground++ == 0; b = b.told) {
      // the first one is told above
    }
  }

  final void loseForeground() {
    for (Branch b = this; b != null && --b.foreground == 0; b = b.told) {
      b.foregroundGone();
    }
  }

  /// Its owner has left it behind, and counts for it no more: the scope above does.
  final void countAbove() {
    ScopeNode above = parent;
    if (told == null && above != null) {
      told = above;
      if (foreground > 0) {
        above.gainForeground();
      }
      if (background > 0) {
        above.gainBackground();
      }
    }
  }

  final void gainBackground() {
    for (Branch b = this; b != null && b.background++ == 0; b = b.told) {
      // the first one is told above
    }
  }

  private void loseBackground() {
    for (Branch b = this; b != null && --b.background == 0; b = b.told) {
      b.backgroundGone();
    }
  }

  // ---- members ----

  /// Adds a member, and queues it. All or nothing, also where the stack ends: what can overflow
  /// comes first, and what comes then calls nothing.
  final void admit(CoroutineNode<?> member) {
    loop.watch().spawned(member); // before anything has changed, should the stack end there
    boolean inBackground = member.isBackground();
    boolean isNeeded = member.isNeeded();
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
      for (Branch b = this; b != null && b.background++ == 0; b = b.told) {
        // the first one is told above
      }
    } else {
      for (Branch b = this; b != null && b.foreground++ == 0; b = b.told) {
        // the first one is told above
      }
    }
    loop.live++;
    loop.needed += isNeeded ? 1 : 0;
    loop.restCancelled = false;
  }

  final void unlink(CoroutineNode<?> member) {
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

  final void countOff(CoroutineNode<?> member) {
    if (member.isBackground()) {
      loseBackground();
    } else {
      loseForeground();
    }
    RareData rare = member.rareOrNull();
    if (rare != null && rare.serves != null) {
      rare.serves.loseForeground();
    }
    loop.memberLeft(member.isNeeded());
  }

  /// Its members, without those of scopes below, for reports.
  final List<CoroutineNode<?>> ownMembers() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    for (CoroutineNode<?> member = firstMember; member != null; member = member.next) {
      found.add(member);
    }
    return found;
  }

  /// Every member and every coroutine in scopes below, for reports.
  final List<CoroutineNode<?>> members() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    ScopeNode top = self();
    for (ScopeNode s = top; s != null; s = s.nextIn(top, true)) {
      found.addAll(s.ownMembers());
    }
    return found;
  }

  /// Those that keep the scope from its end by themselves: one that owns a scope stands for all in
  /// it. So the reports of scopes that stand in one another, however deep, name each once.
  final List<CoroutineNode<?>> awaitedMembers() {
    List<CoroutineNode<?>> found = new ArrayList<>();
    ScopeNode top = self();
    ScopeNode s = top;
    while (s != null) {
      boolean counts = s == top || ((Branch) s).told != null;
      if (counts) {
        found.addAll(s.ownMembers());
      }
      s = s.nextIn(top, counts);
    }
    return found;
  }

  final @Nullable CoroutineNode<?> firstMember() {
    return firstMember;
  }

  // ---- scopes below ----

  final void linkChild(ScopeNode child) {
    Branch added = child;
    ScopeNode before = lastChild;
    added.previousSibling = before;
    if (before == null) {
      firstChild = child;
    } else {
      ((Branch) before).nextSibling = child;
    }
    lastChild = child;
  }

  final void unlinkChild(ScopeNode child) {
    Branch removed = child;
    ScopeNode before = removed.previousSibling;
    ScopeNode after = removed.nextSibling;
    if (before == null) {
      firstChild = after;
    } else {
      ((Branch) before).nextSibling = after;
    }
    if (after == null) {
      lastChild = before;
    } else {
      ((Branch) after).previousSibling = before;
    }
    removed.previousSibling = null;
    removed.nextSibling = null;
  }

  final List<ScopeNode> childNodes() {
    List<ScopeNode> found = new ArrayList<>();
    for (ScopeNode c = firstChild; c != null; c = ((Branch) c).nextSibling) {
      found.add(c);
    }
    return found;
  }

  /// The scope behind this one on a walk over `top` and all below it, from above to below, without
  /// recursion: trees may be deeper than stacks.
  ///
  /// @param below whether to go on below this one
  final @Nullable ScopeNode nextIn(ScopeNode top, boolean below) {
    if (below && firstChild != null) {
      return firstChild;
    }
    Branch b = this;
    while (b != null && b != top) {
      if (b.nextSibling != null) {
        return b.nextSibling;
      }
      b = b.parent;
    }
    return null;
  }

  /// Whether `scope` is this one or stands below it.
  final boolean encloses(@Nullable ScopeNode scope) {
    for (Branch s = scope; s != null; s = s.parent) {
      if (s == this) {
        return true;
      }
    }
    return false;
  }

  /// Whether a protect block stands between this scope and the one above: what comes from above
  /// waits for its end.
  final boolean isShielded() {
    int outside = parent != null && parent.owner == owner ? parent.shields : 0;
    return shields > outside;
  }

  /// Whether it counts in the scope above: it is a part of it, not the business of one of its
  /// members.
  final boolean isPartOfParent() {
    return told != null;
  }

  // ---- needed or not ----

  final boolean isSpare() {
    return spare;
  }

  /// It and all below it no longer keep the loop alive.
  final void becomeSpare() {
    int released = 0;
    ScopeNode self = self();
    for (ScopeNode s = self; s != null; s = s.nextIn(self, true)) {
      released += ((Branch) s).release();
    }
    loop.notNeeded(released);
  }

  private int release() {
    if (spare) {
      return 0;
    }
    int needed = 0;
    for (CoroutineNode<?> m = firstMember; m != null; m = m.next) {
      needed += m.isNeeded() ? 1 : 0;
    }
    spare = true;
    for (CoroutineNode<?> m = firstMember; m != null; m = m.next) {
      needed -= m.isNeeded() ? 1 : 0; // the runtime's own stay needed
    }
    return needed;
  }
}
