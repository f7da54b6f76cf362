// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one coroutine knows of the cancellations that it may meet here, or must: its protect
/// blocks, and the blocks that can be cancelled by themselves.
final class Shields {
  private static final long GRACE = Duration.ofSeconds(5).toNanos(); // the default

  /// A block that is cancelled at a deadline.
  static final class Region {
    private final String words;
    final long deadline;
    private final int height;
    private final boolean inBlock; // in that of a scope
    private boolean met;
    private boolean mayBeCovered; // or its limit passed while what was thrown was held back
    private long due; // again

    Region(String words, long deadline, int height, boolean inBlock) {
      this.words = words;
      this.deadline = deadline;
      this.height = height;
      this.inBlock = inBlock;
    }

    boolean hasCut() {
      return met;
    }

    boolean mayHaveCut() {
      return met || mayBeCovered;
    }

    boolean isOwn(@Nullable Throwable thrown) {
      return thrown instanceof Cancellation && words.equals(thrown.getMessage());
    }
  }

  private final RandomProgram program;
  private final Life life;
  private final List<Region> regions = new ArrayList<>();
  private final List<Integer> blocks = new ArrayList<>(); // the height of each scope's block
  private int height; // protect blocks
  private boolean met; // the coroutine's own cancellation
  private long due; // again

  Shields(RandomProgram program, Life life) {
    this.program = program;
    this.life = life;
  }

  void raise() {
    height++;
  }

  void lower() {
    height--;
  }

  Region newRegion(String words, Duration limit) {
    return new Region(words, program.now() + limit.toNanos(), height, !blocks.isEmpty());
  }

  void open(Region region) {
    regions.add(region);
  }

  void close(Region region) {
    regions.remove(region);
  }

  void openBlock() {
    blocks.add(height);
  }

  void closeBlock() {
    blocks.removeLast();
  }

  /// Whether the next wait has to throw a cancellation, for there is one that nothing keeps away.
  boolean mustThrow() {
    if (program.isPast()) {
      return false; // nothing is claimed of those who are left then
    }
    // while the loop stops, its deadline is the grace period of whole coroutines
    boolean own =
        height == 0 && life.isCancelled() && isDue(met, due) && !(met && program.isStopping());
    return own || regions.stream().anyMatch(this::mustThrow);
  }

  private boolean mustThrow(Region region) {
    return height == region.height
        && program.now() >= region.deadline
        && !region.mayBeCovered
        && isDue(region.met, region.due);
  }

  // thrown once, and again after the grace period
  private boolean isDue(boolean wasMet, long again) {
    return !wasMet || program.now() >= again;
  }

  private long again() {
    return program.now() + GRACE;
  }

  /// It has met a cancellation.
  void met(Cancellation c, String where) {
    if (height == 0 && life.isCancelledWith(c) && !met) {
      met = true;
      due = again();
      regions.forEach(this::cover);
      return;
    }
    // its own once more, or that of a region, whose due it is now or once more
    boolean inside =
        height == 0 && life.isCancelled() && regions.stream().noneMatch(r -> r.isOwn(c));
    for (Region region : regions) {
      if (inside) {
        cover(region);
      } else if (region.isOwn(c)) {
        region.due = region.met ? region.due : again();
        region.met = true;
        inside = true;
      }
    }
    if (!inside) {
      // that of a block, perhaps: the regions in it unwind with it, if their limit has passed by
      // then
      regions.stream().filter(region -> region.inBlock).forEach(this::cover);
    }
    boolean mayReach =
        height == 0
            || program.isPast()
            || where.startsWith("await")
            || blocks.contains(height)
            || regions.stream().anyMatch(region -> region.height == height);
    program.check(mayReach, () -> life + ": " + where + " threw through a protect block: " + c);
  }

  // what is thrown around it unwinds it, too
  private void cover(Region region) {
    region.mayBeCovered |= program.now() >= region.deadline && !region.met;
  }

  /// The end of a scope is a wait, too: what it throws it may have met there, even if its body has
  /// thrown the same.
  void endedBlock(@Nullable Throwable threw) {
    if (threw instanceof Cancellation c) {
      met(c, "await the members");
    }
  }
}
