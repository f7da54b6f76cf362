// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessExitException;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// A process here that stands for one at another node: it starts that one, passes on to it what
/// comes, in order, and ends as it ends. So a supervisor has children at other nodes and does not
/// know it.
public final class RemoteChild {
  /*
   * States.
   *
   * from      event                              to        then
   * STARTING  the other process has started      RELAYING  it reports ready
   * STARTING  the start was refused              ended     it fails with the refusal
   * STARTING  the connection is lost             LOST
   * RELAYING  a message, a request               same      sent on; it waits while there is no
   *                                                        space, and its own mailbox fills
   * RELAYING  asked to end                       same      the other process is asked, with the
   *                                                        time that is left
   * RELAYING  the other process ends             ended     as a link would have ended it; with its
   *                                                        result after a normal end
   * RELAYING  the connection is lost             LOST
   * LOST      the grace period is over           ended     fails with NO_CONNECTION
   * any       a process linked to this one ends  ended     as the link says; the other process is
   *                                                        linked to this one and ends too
   *
   * LOST: the other process is linked to this one, so it ends when its own node misses the
   * connection. Until it must have done so this process does not fail, since its supervisor would
   * start a second one beside it. Requests to end do not shorten that. C10.
   *
   * A request travels as it is, with the reply of its asker: so giving up is told to the other
   * node, and its reply needs nothing here. One that cannot be passed on fails.
   *
   * The sender of a message has its result when the message is in the mailbox here. So a message
   * that then cannot be passed on is lost; the first one is logged, and the runtime counts all.
   * What comes when the other process has ended, or is out of reach, is lost as in the mailbox of
   * a process that has ended: its end tells of it.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.peer");

  /// Starts a process at another node.
  @FunctionalInterface
  public interface Starter {
    /// As [RemoteNode#spawn].
    CompletableFuture<Pid> spawn(String entry, StartOptions options);
  }

  private final String entry;
  private final StartOptions options;
  private final Starter starter;
  private final Duration grace;
  private boolean isLossLogged; // the body's

  private RemoteChild(String entry, StartOptions options, Starter starter, Duration grace) {
    this.entry = entry;
    this.options = options;
    this.starter = starter;
    this.grace = grace;
  }

  /// A process that stands for one at another node.
  ///
  /// @param entry the name that the other node knows
  /// @param options for the other process, without a parent: that is the process here
  /// @param starter chooses the node and starts it there
  /// @param grace after which a linked process has ended when its connection is lost
  public static Process of(String entry, StartOptions options, Starter starter, Duration grace) {
    RemoteChild child = new RemoteChild(entry, options, starter, grace);
    return CoroutineProcess.of(child::run).reportingReady();
  }

  private @Nullable Object run(CoroutineProcess self) throws Exception {
    self.context().trapExits();
    self.context().trapUndelivered();
    Pid child = start(self);
    if (self.context().runtime().whenStarted(child).get()) {
      self.ready();
    }
    while (true) {
      Object received = self.receive();
      if (received instanceof ProcessSignal.Down(_, Exit exit) && exit.pid().equals(child)) {
        return end(self, exit);
      }
      pass(self, child, received);
    }
  }

  private Pid start(CoroutineProcess self) throws Exception {
    Pid here = self.context().self();
    try {
      return starter
          .spawn(entry, options.withParent(here).linked().monitored())
          .get(); // a wait in the JDK, which holds no worker
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      if (cause.getCause() instanceof LostSessionException) {
        self.sleep(grace); // it may have been started
      }
      throw cause instanceof Exception failure ? failure : e;
    }
  }

  private @Nullable Object end(CoroutineProcess self, Exit exit) {
    if (exit.reason() == Exit.Reason.NORMAL) {
      return exit.result();
    }
    if (exit.reason() == Exit.Reason.NO_CONNECTION) {
      self.sleep(grace);
    }
    throw ProcessExitException.linked(exit);
  }

  private void pass(CoroutineProcess self, Pid child, @Nullable Object received) {
    try {
      switch (received) {
        case ProcessSignal.Cancel cancel ->
            self.context().runtime().cancel(child, cancel.reason(), cancel.remaining());
        case ProcessSignal.ExitRequest request ->
            self.context().requestExit(child, request.detail());
        case ProcessSignal.LinkDown(Exit exit) when !exit.pid().equals(child) ->
            throw ProcessExitException.linked(exit);
        case ProcessSignal.Undelivered(Pid to, long count, SendResult why) when to.equals(child) ->
            onLoss(self, child, count + " messages", new SendFailedException(child, why));
        case ProcessSignal _ -> {} // the end of the child comes as a Down too
        case null, default -> self.context().send(child, received);
      }
    } catch (SendFailedException | NotSendableException e) {
      if (received instanceof Request request) {
        var _ = request.reply().fail(e);
      } else {
        onLoss(self, child, typeOf(received), e);
      }
    }
  }

  private static String typeOf(@Nullable Object lost) {
    Object content = lost instanceof ProcessSignal.ExitRequest request ? request.detail() : lost;
    return content == null ? "null" : "a " + content.getClass().getName();
  }

  private void onLoss(CoroutineProcess self, Pid child, String what, RuntimeException why) {
    boolean isEnd =
        why instanceof SendFailedException unsent
            && (unsent.result() == SendResult.NOT_FOUND
                || unsent.result() == SendResult.UNREACHABLE);
    if (!isEnd && !isLossLogged) {
      isLossLogged = true;
      LOG.log(
          System.Logger.Level.WARNING,
          "%s could not pass on %s to the process it stands for, %s, and may lose more: %s"
              .formatted(self.context().self(), what, child, why.getMessage()));
    }
  }
}
