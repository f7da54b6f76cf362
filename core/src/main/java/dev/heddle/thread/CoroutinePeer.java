// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.scheduler.inbox.Inbox;
import org.jspecify.annotations.Nullable;

/// A coroutine that waits: it is woken through the inbox of its loop.
final class CoroutinePeer extends Peer {
  private final CoroutineNode<?> coroutine;
  private final Served served;

  CoroutinePeer(CoroutineNode<?> coroutine, Object channel, String what) {
    this.coroutine = coroutine;
    this.served = new Served(channel, what);
  }

  @Override
  boolean wake() {
    return coroutine.scheduler().inbox().post(served.arrival);
  }

  @Override
  void await(Deadline deadline, @Nullable EventSource token) {
    coroutine.awaitEvent(served, deadline, token);
  }

  // not even a switch handler's failure may make a caller believe that its item was not sent
  @Override
  boolean postpone(Throwable met) {
    if (coroutine.scheduler().hasEnded()) {
      return false;
    }
    FailureTable.throwIfFatal(met);
    if (met instanceof Cancellation) {
      coroutine.postpone(met, null);
    } else if (met instanceof WaitCancelledException) {
      if (met.getCause() instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
    } else if (!(met instanceof DeadlineException)) {
      String what = "a wait failed, of a coroutine that has sent to " + served.channel;
      coroutine.scheduler().futures().unobserved(what, met);
    }
    return true;
  }

  private final class Served extends EventSource {
    private final Object channel;
    private final String what;
    private final Arrival arrival = new Arrival();

    // loop only
    private boolean closed;

    Served(Object channel, String what) {
      super(coroutine.scheduler());
      this.channel = channel;
      this.what = what;
    }

    private void arrived() {
      closed = true;
      settled();
      fire(null, null);
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    // another thread may serve it
    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    public String info() {
      return what + channel;
    }

    private final class Arrival extends Inbox.Node {
      @Override
      public void onArrival() {
        arrived();
      }
    }
  }
}
