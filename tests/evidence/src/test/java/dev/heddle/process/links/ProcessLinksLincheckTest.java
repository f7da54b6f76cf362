// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Link, unlink and exit of two processes are linearizable: each takes place at one moment.
public class ProcessLinksLincheckTest {
  /// The real class.
  public static class Real {
    private final Linked ends = new Linked(1);
    private final Linked stays = new Linked(2);

    /// The one that stays links itself.
    @Operation
    public void link() {
      ProcessLinks.link(stays, ends);
    }

    /// The one that stays undoes the link.
    @Operation
    public void unlink() {
      ProcessLinks.unlink(stays, ends);
    }

    /// The one that ends undoes the link, as long as it lives.
    @Operation(nonParallelGroup = "ends")
    public void unlinkByTheOther() {
      ProcessLinks.unlink(ends, stays);
    }

    /// The other one fails.
    @Operation(nonParallelGroup = "ends")
    public void exit() {
      ends.fail();
    }

    /// How often an end was decided.
    @Operation
    public int decided() {
      return stays.decided();
    }

    /// How many links there are.
    @Operation
    public int links() {
      return stays.processLinks().links().size();
    }
  }

  /// What a sequence of calls gives.
  public static class Specification {
    private boolean linked;
    private boolean broken; // and not undone
    private boolean ended;
    private int decided;

    /// As [Real#link()].
    public void link() {
      if (linked || broken) {
        return;
      }
      if (ended) {
        broken = true;
        decided++;
      } else {
        linked = true;
      }
    }

    /// As [Real#unlink()].
    public void unlink() {
      linked = false;
      broken = false;
    }

    /// As [Real#unlinkByTheOther()].
    public void unlinkByTheOther() {
      linked &= ended;
    }

    /// As [Real#exit()].
    public void exit() {
      if (linked && !ended) {
        linked = false;
        broken = true;
        decided++;
      }
      ended = true;
    }

    /// As [Real#decided()].
    public int decided() {
      return decided;
    }

    /// As [Real#links()].
    public int links() {
      return linked ? 1 : 0;
    }
  }

  @Test
  @Tag("P13")
  @Tag("proc-240")
  void linksOfTwo_inAllSmallInterleavings_areMadeUndoneAndBrokenAtOneMoment() {
    new ModelCheckingOptions()
        .iterations(5)
        .invocationsPerIteration(50)
        .threads(2)
        .actorsPerThread(2)
        .sequentialSpecification(Specification.class)
        .check(Real.class);
  }
}
