// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// The end of a thread dump against a resume, extracted from `ExecutionContext`: the dumper gives
/// the JDK's state back and reads ours, the carrier stores ours and reads the JDK's, twice.
///
/// The results are whether the carrier mounted, and whether the dumper posted. Neither: the resume
/// is lost for ever. The real class against a real dumper is in the core's ExecutionContextTest.
public class LostRunStress {
  private static final int HELD = 0; // by the dumper: a run mounts nothing
  private static final int FREE = 1;
  private static final int SUSPENDED = 2;
  private static final int RESUMING = 3;

  private LostRunStress() {}

  /// **Protocol as it is.**
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "mounted")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "not mounted, will be tried again")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "mounted, and one post for nothing")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "the resume is lost")
  @State
  public static class Real {
    private volatile int jdk = HELD;
    private int state = SUSPENDED;

    @Actor
    public void dumper(II_Result r) {
      jdk = FREE;
      r.r2 = state == RESUMING ? 1 : 0;
    }

    @Actor
    public void carrier(II_Result r) {
      state = RESUMING;
      if (jdk == FREE) {
        r.r1 = 1;
        return;
      }
      VarHandle.fullFence();
      r.r1 = jdk == FREE ? 1 : 0;
    }
  }

  /// **Mutant.** No fence between the run that mounted nothing and the second one.
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "mounted")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "not mounted, will be tried again")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "mounted, and one post for nothing")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "the resume is lost")
  @State
  public static class NoFenceAfterLostRun {
    private volatile int jdk = HELD;
    private int state = SUSPENDED;

    @Actor
    public void dumper(II_Result r) {
      jdk = FREE;
      r.r2 = state == RESUMING ? 1 : 0;
    }

    @Actor
    public void carrier(II_Result r) {
      state = RESUMING;
      if (jdk == FREE) {
        r.r1 = 1;
        return;
      }
      r.r1 = jdk == FREE ? 1 : 0;
    }
  }
}
