// SPDX-License-Identifier: Apache-2.0
package simulators;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/// The programs that wait for nothing, as jcstress has them: without threads of their own.
class Stress {
  private Stress() {}

  @JCStressTest
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both count")
  @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "an update was lost")
  @State
  public static class Race {
    int counter;

    @Actor
    public void one() {
      counter++;
    }

    @Actor
    public void other() {
      counter++;
    }

    @Arbiter
    public void sum(I_Result result) {
      result.r1 = counter;
    }
  }

  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "both reads came before both writes")
  @Outcome(expect = Expect.ACCEPTABLE, desc = "an interleaving")
  @State
  public static class Reordering {
    int mine;
    int yours;

    @Actor
    public void one(II_Result result) {
      mine = 1;
      result.r1 = yours;
    }

    @Actor
    public void other(II_Result result) {
      yours = 1;
      result.r2 = mine;
    }
  }
}
