// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

import dev.heddle.process.Exit;
import dev.heddle.process.Lifetime;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import dev.heddle.process.dispatch.CommandCallbacks;
import dev.heddle.process.dispatch.ProcessCommands.HandOn;
import dev.heddle.process.dispatch.TimeCommands.Pause;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// A process that distributes calls to other processes, its members: each member handles one call
/// at a time, and further calls wait in a queue.
///
/// A call is `ask(pool, message, limit)`. A member gets it as a [Request], replies, and gets the
/// next one. A member that ends without a reply fails its own call and no other. A call whose asker
/// has given up before its turn is skipped. A member whose asker gives up sees that by
/// [dev.heddle.process.Reply#isOpen]; after that check its next call is put into its mailbox, and
/// goes to another member if this one ends without having received it.
///
/// The pool starts a member whenever a call finds all members busy, up to the maximum. After each
/// keep-alive time it ends the members that it did not need during that time, down to the minimum;
/// it keeps a reserve of a quarter of the members that were busy at once, at least one.
///
/// When the pool is cancelled, or another process requests its exit, it refuses new calls, finishes
/// those that it has, including waiting ones, ends its members and then itself, with
/// [dev.heddle.process.Exit.Reason#SHUTDOWN]. It does the same when a linked process that is not a
/// member has ended on purpose; when that process has failed, the pool fails.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=pool}
///
/// @since 0.1
public final class ProcessPool implements Process {
  /*
   * States of a member.
   *   from  event                                          to
   *   IDLE  a call, for the member that became idle last   BUSY
   *   BUSY  its reply, no call waits                       IDLE
   *   BUSY  its reply, a call waits                        BUSY
   *   IDLE  not needed for a keep-alive time, or the end   LEAVING, cancelled
   *         of the pool
   *   any   it has ended                                   removed
   *
   * The member that became idle last gets the next call, so that members that are not needed stay
   * idle and are ended.
   *
   * A member that ends is replaced at once, up to the minimum, if it has replied to a call;
   * otherwise when the next call comes. So a function that cannot start fails its calls one by one,
   * and does not spin. A new member gets the call for which it was started, and that call fails
   * with it.
   *
   * A member that has replied may still be in its step: it may have checked a call that was given
   * up, and continue. Its next call then waits in its mailbox. When the member ends, a call that it
   * has received fails with NoReplyException; one that it has not fails with SendFailedException,
   * and waits again.
   *
   * Time. A timer is armed only while there are more members than the minimum: an idle pool costs
   * nothing.
   *
   * Rejected. A queue from which members take: each member would have to be woken for each call,
   * and the pool would not know which ones are busy. proc-166 to proc-174.
   */

  /// A request for a [PoolStatus], instead of a call.
  public record GetStatus() {}

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.pool");

  private static final class Member {
    final Pid pid;
    boolean answered;
    boolean stopping;

    Member(Pid pid) {
      this.pid = pid;
    }
  }

  private final Callable<? extends Process> factory;
  private final StartOptions options;
  private final int min;
  private final int max;
  private final Duration keepAlive;
  private final Map<Pid, Member> members = new HashMap<>(); // including those that are leaving
  private final Deque<Member> idle = new ArrayDeque<>(); // the last one that became idle first
  private final CallQueue waiting;
  private final CommandCallbacks commands = new CommandCallbacks();
  private @Nullable ProcessContext self;
  private int busy;
  private int peak; // the most that were busy at once since the last shrink()
  private boolean pausing;
  private boolean closing;
  private @Nullable Object reason; // why it ends, in the program's own terms
  private long started;
  private long calls;
  private long refused;

  private ProcessPool(Builder how) {
    this.factory = how.factory;
    this.options = how.options;
    this.min = how.min;
    this.max = how.max;
    this.waiting = new CallQueue(how.queue);
    this.keepAlive = how.keepAlive;
  }

  /// Configures a pool.
  ///
  /// @param factory creates a member; on a worker, so it must not block
  public static Builder of(Callable<? extends Process> factory) {
    return new Builder(factory);
  }

  @Override
  public void init(ProcessContext context, String method, @Nullable Object input) throws Exception {
    self = context;
    context.trapExits();
    while (members.size() < min) {
      idle.addLast(start());
    }
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput output) {
    commands.stepBegins(output);
    events.forEach(this::take);
    if (closing) {
      close(output);
    } else if (!pausing && size() > min) {
      pausing = true;
      commands.submit(
          new Pause(keepAlive),
          _ -> {
            pausing = false;
            shrink();
          });
    }
  }

  private void take(ProcessEvent event) {
    if (!event.isMessage()) {
      commands.completed(event); // none when it is from before an upgrade
      return;
    }
    switch (event.data()) {
      case ProcessSignal.Cancel _ -> closing = true;
      case ProcessSignal.ExitRequest asked -> closeWith(asked.detail());
      case ProcessSignal.Down down -> memberEnded(down);
      case ProcessSignal.LinkDown down -> linkDown(down.exit());
      case Request request when request.message() instanceof GetStatus ->
          request.reply().complete(status());
      case Request request -> admit(request);
      case null, default ->
          LOG.log(
              System.Logger.Level.WARNING,
              "pool "
                  + self().self()
                  + " has dropped a message that is no call; call it with ask(): "
                  + event.data());
    }
  }

  /// Handles the exit of a linked process. The exit of a member also comes by its monitor; any
  /// other link means that the pool ends with that process.
  private void linkDown(Exit exit) {
    if (members.containsKey(exit.pid())) {
      return;
    }
    if (exit.isFailure()) {
      throw new IllegalStateException(
          "the pool was linked to " + exit.pid() + ", which has ended: " + exit.reason(),
          exit.cause());
    }
    closeWith(exit.detail());
  }

  /// Begins to end on purpose; the first reason counts.
  private void closeWith(@Nullable Object why) {
    reason = closing ? reason : why;
    closing = true;
  }

  private PoolStatus status() {
    return new PoolStatus(size(), busy, waiting.size(), started, calls, refused);
  }

  private void admit(Request request) {
    if (!request.reply().isOpen()) {
      return;
    }
    if (closing) {
      refuse(request, "pool closed: " + self().self() + " finishes what it has; call another");
    } else if (!idle.isEmpty()) {
      dispatch(idle.removeFirst(), request);
    } else if (members.size() < max) {
      startFor(request);
    } else if (!waiting.add(request)) {
      refuse(
          request,
          "pool full: %d members of %s are busy and %d calls wait; call less, or give it more"
              .formatted(size(), self().self(), waiting.size()));
    }
  }

  private void refuse(Request request, String why) {
    refused++;
    var _ = request.reply().fail(new PoolRefusedException(why)); // else the asker has given up
  }

  private void startFor(Request request) {
    try {
      dispatch(start(), request);
    } catch (Throwable e) { // also an Error: a class that cannot be loaded fails only this call
      refused++;
      var _ = request.reply().fail(e); // else the asker has given up
    }
  }

  private Member start() throws Exception {
    StartOptions tied = options.linked().monitored().withLifetime(Lifetime.WITH_PARENT);
    Member member = new Member(self().spawn(make(), tied));
    members.put(member.pid, member);
    started++;
    return member;
  }

  private Process make() throws Exception {
    Process made = factory.call();
    if (made == null) {
      throw new StartRefusedException(
          "the factory of pool " + self().self() + " has returned null; let it make a new process",
          null);
    }
    return made;
  }

  private void dispatch(Member member, Request request) {
    calls++;
    peak = Math.max(peak, ++busy);
    commands.submit(
        new HandOn(member.pid, request),
        event -> {
          busy--;
          done(member, request, event);
        });
  }

  private void done(Member member, Request request, ProcessEvent event) {
    Throwable failure = event.error();
    boolean unsent = failure instanceof SendFailedException f && f.receiver().equals(member.pid);
    if (failure != null
        && unsent
        && !member.answered
        && failure.getCause() instanceof NoReplyException why) {
      failure = why; // a new member failed before it took its call: this is the cause
    }
    boolean unanswered = failure instanceof NoReplyException f && f.exit().pid().equals(member.pid);
    member.stopping |= unsent || unanswered; // it has ended; the signal of its monitor follows
    if (unsent && member.answered) {
      waiting.putBack(request); // the member ended before it took the call
    } else if (failure != null) {
      var _ = request.reply().fail(failure); // else the asker has given up
    } else {
      var _ = request.reply().complete(event.data()); // else the asker has given up
    }
    member.answered |= !unsent && !unanswered;
    memberIdle(member);
  }

  /// Gives an idle member the next call, or puts it into the pool.
  private void memberIdle(Member member) {
    if (member.stopping) {
      serveWaiting();
    } else if (waiting.isEmpty()) {
      idle.addFirst(member);
    } else {
      dispatch(member, waiting.take());
    }
  }

  /// Serves waiting calls after a member has ended: it may be replaced.
  private void serveWaiting() {
    while (!waiting.isEmpty() && (!idle.isEmpty() || members.size() < max)) {
      if (idle.isEmpty()) {
        startFor(waiting.take());
      } else {
        dispatch(idle.removeFirst(), waiting.take());
      }
    }
  }

  private void memberEnded(ProcessSignal.Down down) {
    Member member = members.remove(down.exit().pid());
    if (member == null) {
      return;
    }
    member.stopping = true;
    idle.remove(member);
    serveWaiting();
    if (!closing && member.answered && size() < min) {
      try {
        idle.addLast(start());
      } catch (Throwable _) {
        // safe: the next call tries again, and fails with the cause
      }
    }
  }

  private void shrink() {
    int headroom = peak == 0 ? 0 : Math.max(1, peak / 4);
    int keep = Math.max(min, peak + headroom);
    peak = busy;
    while (!closing && size() > keep && !idle.isEmpty()) {
      stop(idle.removeLast());
    }
  }

  private void stop(Member member) {
    member.stopping = true;
    try {
      self().runtime().cancel(member.pid, "its pool does not need it", options.shutdown());
    } catch (SendFailedException _) {
      // safe: it has ended; the signal of its monitor follows
    }
  }

  private int size() {
    int size = 0;
    for (Member member : members.values()) {
      size += member.stopping ? 0 : 1;
    }
    return size;
  }

  private void close(StepOutput output) {
    if (busy > 0 || !waiting.isEmpty()) {
      return;
    }
    while (!idle.isEmpty()) {
      stop(idle.removeFirst());
    }
    if (members.isEmpty()) {
      output.shutdown(reason);
    }
  }

  private ProcessContext self() {
    return Objects.requireNonNull(self);
  }

  /// Configures a pool. For one thread; each method returns the builder.
  ///
  /// @since 0.1
  public static final class Builder {
    private final Callable<? extends Process> factory;
    private StartOptions options = StartOptions.defaults();
    private int min;
    private int max = Runtime.getRuntime().availableProcessors();
    private int queue = 1000;
    private Duration keepAlive = Duration.ofSeconds(30);

    private Builder(Callable<? extends Process> factory) {
      this.factory = Objects.requireNonNull(factory, "factory");
    }

    /// How members are started; the pool is their parent and linked to them. A member that the pool
    /// ends may clean up for the time of [StartOptions#shutdown].
    ///
    /// @throws IllegalArgumentException when the options have a name, which only one process can
    ///   have; a parent; or a lifetime beyond that of the pool
    public Builder options(StartOptions of) {
      if (of.name() != null) {
        throw new IllegalArgumentException(
            "members of a pool have no name, since '"
                + of.name()
                + "' could belong to one process only; leave it out, and name the pool");
      }
      if (of.parent() != null || of.lifetime() == Lifetime.INDEPENDENT) {
        throw new IllegalArgumentException(
            "the pool is the parent of its members, which end with it; leave withParent and"
                + " withLifetime out of "
                + of);
      }
      this.options = of;
      return this;
    }

    /// How many members there may be; by default 0 to the number of processors.
    public Builder members(int least, int most) {
      if (least < 0 || most < Math.max(1, least)) {
        throw new IllegalArgumentException(
            "0 <= least <= most and 1 <= most are needed: %d, %d".formatted(least, most));
      }
      this.min = least;
      this.max = most;
      return this;
    }

    /// How many calls may wait; 1000 by default. Further calls are refused.
    public Builder queueCapacity(int calls) {
      if (calls < 0) {
        throw new IllegalArgumentException("no fewer than 0 calls can wait: " + calls);
      }
      this.queue = calls;
      return this;
    }

    /// The time after which members are ended that were not needed during it; 30 s by default.
    public Builder keepAlive(Duration time) {
      if (time.isNegative() || time.isZero()) {
        throw new IllegalArgumentException("a time is needed, not " + time);
      }
      this.keepAlive = time;
      return this;
    }

    /// Creates the pool, to be spawned once.
    public ProcessPool build() {
      return new ProcessPool(this);
    }
  }
}
