// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The inbox shrunk to one node that is in it: the flag and the accesses to it, the sound ones and
/// the weakened ones.
class OneNodeBox {
  private static final VarHandle POSTED;

  static {
    try {
      POSTED = MethodHandles.lookup().findVarHandle(OneNodeBox.class, "posted", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile boolean posted = true;
  int content;
  int seen;

  final void post() {
    POSTED.getAndSet(this, true);
  }

  final void postAfterARead() {
    if (!posted) {
      POSTED.compareAndSet(this, false, true);
    }
  }

  final boolean isIn() {
    return posted;
  }

  final void clearPosted() {
    POSTED.getAndSet(this, false);
  }

  final void clearPostedPlain() {
    POSTED.set(this, false);
  }
}
