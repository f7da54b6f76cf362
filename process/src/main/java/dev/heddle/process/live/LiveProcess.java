// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.ProcessTerminatedException;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.Signal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.UnknownMethodException;
import dev.heddle.process.dispatch.Caller;
import dev.heddle.process.dispatch.Invocation;
import dev.heddle.process.relay.Receiver;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.topology.Ties;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A process, its mailbox and its state.
public final class LiveProcess extends Task
    implements Receiver, Caller, ProcessContext, Ties.Owner {
  /*
   * Life.   init, then steps until one is DONE or throws, or somebody has decided the end; then close, once; then
   *         the queue is closed, and who is tied to it is told. All of it on workers, one at a time (Task).
   *
   * The end is decided once, by a CAS on `ending`: by the process itself (done, or thrown), by terminate, by a link, by a shutdown. Who
   * decides from outside wakes the process, whose next look is at `ending`: so a step that runs is never cut, and one that waits ends
   * at once.
   *
   *   at the end   process.close()     what it throws is told, and changes nothing
   *                commands abandoned  their results would find nobody
   *                queue closed        later sends fail; what was in it is counted
   *                ties told           links, monitors, names, whoever waits for the exit
   *                table               last, so that its number is found until all know
   *
   * Each of these happens once: Task calls completed() once, and ties remember that they were told, since a shutdown that has no more
   * time tells them of a process whose step goes on.
   *
   * Upgrade.  Another Process takes the place within the same step: the old one is closed, the new one initialised, and the run goes on.
   *           Mailbox, ties, outstanding commands and options belong to this class and stay.
   *
   * P1, P10, P13; traps 53, 54, 55; cases 60-76, 208-217.
   */
  private static final VarHandle ENDING;
  private static final VarHandle TIES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ENDING = lookup.findVarHandle(LiveProcess.class, "ending", Exit.class);
      TIES = lookup.findVarHandle(LiveProcess.class, "ties", Ties.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ProcessHost host;
  private final Pid pid;
  private final EventQueue queue;
  private final Room room;

  // the worker that steps it
  private Process process;
  private boolean begun;
  private @Nullable Outstanding outstanding;
  private @Nullable Class<?> lastCommand; // for reports
  private @Nullable Map<String, Object>
      attributes; // its own; what it has inherited is in the options

  // the process, read by whoever breaks a link
  private volatile boolean trapsExits;

  // the worker of its first step, read by whoever waits for that
  private volatile boolean started;

  // the worker of its last step, which takes out what only steps need; any thread reads the rest
  private StartOptions options;

  // whoever starts it, before its first step; read at its end
  private boolean announced;

  // any thread, CAS
  private volatile @Nullable Exit ending;
  private volatile @Nullable Ties ties;

  LiveProcess(ProcessHost host, Pid address, Process process, StartOptions options) {
    super(
        switch (options.priority()) {
          case HIGH -> Rank.FIRST;
          case NORMAL -> Rank.USUAL;
          case LOW -> Rank.LAST;
        });
    this.host = host;
    this.pid = address.leadingTo(this);
    this.process = process;
    this.options = options;
    this.queue = new EventQueue(options.mailbox(), options.policy() == MailboxPolicy.DROP_OLDEST);
    this.room = options.policy() == MailboxPolicy.SUSPEND ? new Room() : Room.UNUSED;
  }

  // ---- steps, on a worker ----

  @Override
  protected Verdict step(Worker worker) {
    if (ending != null) {
      return Verdict.DONE;
    }
    StepOutput out = new StepOutput();
    try {
      if (!begun) {
        begun = true;
        process.init(this, options.method(), options.input());
        tellStarted();
      }
      process.step(takeEvents(), out);
      return verdict(out);
    } catch (Throwable t) {
      host.failed(this, t);
      return endWith(new Exit(pid, Exit.Reason.FAILED, null, t));
    }
  }

  private void tellStarted() {
    started = true;
    Ties known = ties; // safe: who makes ties after this read looks at `started` after that
    if (known != null) {
      known.started();
    }
  }

  /// Lets code be told when its init has returned (true), or it has ended before (false).
  public void onStarted(Consumer<Boolean> listener) {
    ties().onStarted(listener);
    if (started) {
      ties().started();
    }
  }

  /// Forgets whoever waits for its start.
  public void offStarted(Consumer<Boolean> listener) {
    ties().offStarted(listener);
  }

  private List<ProcessEvent> takeEvents() {
    if (queue.isEmpty()) {
      return List.of();
    }
    List<ProcessEvent> events = EventBatch.from(queue, this);
    if (options.policy() == MailboxPolicy.SUSPEND) {
      room.made();
    }
    return events;
  }

  /// An event is about to be seen.
  ///
  /// @return false when it is not to be: its monitor was taken back
  boolean admit(Envelope envelope) {
    if (!envelope.event.isMessage()) {
      Objects.requireNonNull(outstanding).remove(envelope.event.tag());
      return true;
    }
    return !(envelope instanceof Envelope.OfMonitor of) || ties().takeMonitor(of.monitor);
  }

  private Verdict verdict(StepOutput out) throws Exception {
    out.seal();
    dispatch(out);
    return switch (out.status()) {
      case CONTINUE -> Verdict.CONTINUE;
      case IDLE -> queue.isEmpty() ? Verdict.REST : Verdict.CONTINUE;
      case YIELD -> queue.isEmpty() ? Verdict.WAIT : Verdict.CONTINUE;
      case YIELD_ONLY -> waitForCommands();
      case UNTIL_WOKEN -> queue.hasUrgent() ? Verdict.CONTINUE : Verdict.WAIT_DEAF;
      case DONE -> endWith(new Exit(pid, Exit.Reason.NORMAL, out.result(), null));
      case UPGRADE -> upgrade(Objects.requireNonNull(out.upgrade()));
    };
  }

  private Verdict waitForCommands() {
    if (queue.hasUrgent()) {
      return Verdict.CONTINUE;
    }
    if (outstanding() == 0) {
      throw new IllegalStateException(
          "yieldOnly() without a command on its way would wait for ever; yield one, or say"
              + " nothing");
    }
    return Verdict.WAIT_DEAF;
  }

  private void dispatch(StepOutput out) {
    boolean last = out.status() == StepOutput.Status.DONE;
    for (int i = 0; i < out.yieldCount(); i++) {
      StepOutput.Yield yield = out.yieldAt(i);
      Invocation<?> invocation = new Invocation<@Nullable Object>(this, yield.tag());
      if (!last) { // else nobody will see its result, and nobody calls it off
        outstanding = Outstanding.with(outstanding, invocation, yield.command());
      }
      lastCommand = yield.command().getClass();
      host.dispatcher().dispatch(yield.command(), invocation);
    }
  }

  private Verdict upgrade(StepOutput.Upgrade to) throws Exception {
    Process next = host.create(to.source());
    try {
      if (!next.methods().contains(to.method())) {
        throw new UnknownMethodException(to.method(), next.methods());
      }
    } catch (Throwable t) {
      host.close(next, pid);
      throw t;
    }
    Process old = process;
    process = next; // from here on it is the one that the end closes
    host.close(old, pid);
    next.init(this, to.method(), to.input());
    return Verdict.CONTINUE;
  }

  private Verdict endWith(Exit exit) {
    var _ = ENDING.compareAndSet(this, null, exit); // who has ended it before has the word
    return Verdict.DONE;
  }

  @Override
  protected void completed(Worker worker) {
    Exit exit = Objects.requireNonNull(ending);
    try {
      host.close(process, pid);
      if (outstanding != null) {
        outstanding.abandon();
        outstanding = null;
      }
    } finally {
      forgetInput();
      finish(exit); // whatever the machine has run out of: others wait for this end
    }
    process = Ended.PROCESS; // last: whoever is told of the end may ask of which class it was
  }

  /// A PID that is kept keeps this object, but not what was given to its body.
  private void forgetInput() {
    attributes = null;
    options = options.input() == null ? options : options.withInput(null);
    options = options.attributes().isEmpty() ? options : options.withAttributes(Map.of());
  }

  /// The listener knows that it starts.
  void announced() {
    announced = true;
  }

  boolean isAnnounced() {
    return announced; // safe: whoever ends it has met its worker, or is its starter
  }

  /// It will not be started: closes it, and tells whoever has come to know it meanwhile.
  void refuse(Throwable why) {
    var _ = ENDING.compareAndSet(this, null, new Exit(pid, Exit.Reason.FAILED, null, why));
    host.close(process, pid);
    forgetInput();
    finish(Objects.requireNonNull(ending));
    process = Ended.PROCESS;
  }

  /// Nobody will step it any more: closes the queue and tells everybody.
  void finish(Exit exit) {
    for (EventQueue.Node n = queue.close(); n != null; n = EventQueue.after(n)) {
      host.undelivered(this, ((Envelope) n).event);
    }
    room.made(); // for nobody, of which whoever waits is told
    var _ = tell(exit); // or a shutdown has done so before
  }

  private boolean tell(Exit exit) {
    boolean first = ties().exited(this, exit, host.names());
    if (first) {
      host.ended(this, exit);
    }
    return first;
  }

  /// Nobody has time for it: tells everybody as if it had ended. It is closed when its step
  /// returns, or a worker comes to it, if ever.
  ///
  /// @return false when everybody knows its end already
  boolean abandon(boolean inStep) {
    // if it is nobody's yet: woken too, so that its worker looks when the step returns
    var _ = end(Exit.Reason.ABANDONED, new ProcessTerminatedException("abandoned in a step"));
    Exit exit = Objects.requireNonNull(ending);
    return tell(inStep ? new Exit(pid, Exit.Reason.ABANDONED, null, exit.cause()) : exit);
  }

  // ---- what comes, from any thread ----

  @Override
  public SendResult receive(@Nullable Object message) {
    Envelope envelope = new Envelope(ProcessEvent.message(message));
    EventQueue.Push push =
        options.policy() == MailboxPolicy.DROP_OLDEST
            ? queue.push(envelope, this::displaced)
            : queue.push(envelope);
    return switch (push) {
      case ACCEPTED -> {
        host.scheduler().wake(this, BY_MESSAGE);
        yield SendResult.ACCEPTED;
      }
      case FULL ->
          options.policy() == MailboxPolicy.DROP_NEWEST ? SendResult.DROPPED : SendResult.FULL;
      case CLOSED -> host.isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
    };
  }

  private void displaced(EventQueue.Node oldest) {
    host.displaced(this, ((Envelope) oldest).event);
  }

  /// The same, but waits for room where the policy says so and the caller can.
  SendResult receiveOrWait(@Nullable Object message) {
    SendResult first = receive(message);
    return first == SendResult.FULL ? room.receive(this, message) : first;
  }

  /// Gives it a signal.
  ///
  /// @return false when it has ended
  boolean signal(Signal signal) {
    return urgent(new Envelope(ProcessEvent.message(signal)));
  }

  private boolean urgent(Envelope envelope) {
    if (queue.pushUrgent(envelope) != EventQueue.Push.ACCEPTED) {
      return false;
    }
    host.scheduler().wake(this, BY_COMMAND);
    return true;
  }

  /// Ends it before its next step.
  ///
  /// @return false when its end was decided before
  boolean end(Exit.Reason reason, @Nullable Throwable cause) {
    if (!ENDING.compareAndSet(this, null, new Exit(pid, reason, null, cause))) {
      return false;
    }
    host.scheduler().wake(this, BY_COMMAND);
    return true;
  }

  @Override
  public void deliver(ProcessEvent event) {
    if (!urgent(new Envelope(event))) {
      host.tooLate();
    }
  }

  @Override
  public ProcessContext context() {
    return this;
  }

  @Override
  public @Nullable Invocation<?> invocation(long tag) {
    return outstanding == null ? null : outstanding.find(tag);
  }

  @Override
  public void tooLate(Invocation<?> invocation) {
    host.tooLate();
  }

  @Override
  public void failedToCancel(Invocation<?> invocation, Throwable thrown) {
    host.failed(this, thrown);
  }

  @Override
  public void exitSettled() {
    host.settled();
  }

  @Override
  public void linkBroken(Exit exit) {
    if (trapsExits) {
      var _ = signal(new Signal.LinkDown(exit)); // one that has ended needs no telling
    } else {
      var _ = end(Exit.Reason.LINKED, new LinkedExitException(exit));
    }
  }

  @Override
  public void monitorFired(long monitor, Exit exit) {
    var _ = urgent(new Envelope.OfMonitor(new Signal.Down(monitor, exit))); // or it has ended
  }

  /// Asks it to end, when it listens; else ends it.
  ///
  /// @return whether it was asked
  public boolean cancel(Signal.Cancel how) {
    if (trapsExits) {
      return signal(how);
    }
    var _ = terminate("process cancelled: " + how.reason()); // one that has ended needs no more
    return false;
  }

  /// Ends it without asking.
  ///
  /// @return false when its end was decided before
  public boolean terminate(String why) {
    return end(Exit.Reason.TERMINATED, new ProcessTerminatedException(why));
  }

  // ---- the context ----

  @Override
  public Pid self() {
    return pid;
  }

  @Override
  public long id() {
    return pid.id();
  }

  ProcessHost host() {
    return host;
  }

  StartOptions options() {
    return options;
  }

  @Override
  public Ties ties() {
    Ties known = ties;
    if (known == null) {
      Ties made = new Ties();
      known = (Ties) TIES.compareAndExchange(this, null, made);
      return known == null ? made : known;
    }
    return known;
  }

  @Override
  public @Nullable Pid parent() {
    return options.parent();
  }

  @Override
  public ProcessRuntime runtime() {
    return host.runtime();
  }

  @Override
  public boolean isEnded() {
    return state() == State.COMPLETE;
  }

  @Override
  public void wakeUp() {
    host.scheduler().wake(this, BY_COMMAND);
  }

  @Override
  public void send(Pid to, @Nullable Object message) {
    SendResult result = host.send(to, message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    return host.offer(to, message);
  }

  @Override
  public Pid spawn(Process child) {
    return spawn(child, StartOptions.DEFAULT);
  }

  @Override
  public Pid spawn(Process child, StartOptions how) {
    return host.spawn(child, how, this);
  }

  @Override
  public boolean cancelCommand(long tag) {
    Invocation<?> invocation = outstanding == null ? null : outstanding.find(tag);
    return invocation != null && invocation.cancel("the process has cancelled it");
  }

  @Override
  public int outstanding() {
    return outstanding == null ? 0 : outstanding.size();
  }

  @Override
  public void link(Pid other) {
    host.link(this, other);
  }

  @Override
  public void unlink(Pid other) {
    LiveProcess live = host.find(other);
    if (live != null) {
      Ties.unlink(this, live);
    }
  }

  @Override
  public void trapExits(boolean trap) {
    trapsExits = trap;
  }

  boolean trapsExits() {
    return trapsExits;
  }

  @Override
  public long monitor(Pid other) {
    return host.monitor(this, other, _ -> {});
  }

  @Override
  public void monitor(Pid other, LongConsumer known) {
    host.monitor(this, other, known);
  }

  @Override
  public boolean demonitor(long monitor) {
    return Ties.demonitor(this, monitor);
  }

  @Override
  public Pid register(String name) {
    return host.register(name, this);
  }

  @Override
  public boolean unregister(String name) {
    return ties().names().contains(name) && host.names().unregister(name);
  }

  @Override
  public @Nullable Object attribute(String key) {
    Object own = attributes == null ? null : attributes.get(key);
    return own != null ? own : options.attributes().get(key);
  }

  @Override
  public void setAttribute(String key, Object value) {
    if (attributes == null) {
      attributes = new HashMap<>(4);
    }
    attributes.put(key, Objects.requireNonNull(value, "value"));
  }

  /// What those that it starts inherit.
  Map<String, Object> inheritable() {
    if (attributes == null) {
      return options.attributes();
    }
    Map<String, Object> all = new HashMap<>(options.attributes());
    all.putAll(attributes);
    return all;
  }

  // ---- for reports, from any thread ----

  /// What it is like.
  ///
  /// @param stack of its step, if it is wanted and there is one
  ProcessSnapshot snapshot(StackTraceElement[] stack) {
    // safe: fields of the worker, read at some moment; what they lead to does not change
    State state = state();
    Class<?> command = lastCommand;
    Outstanding commands = outstanding;
    int waiting = commands == null ? 0 : commands.size();
    Ties known = ties;
    return new ProcessSnapshot(
        pid,
        kind(),
        ProcessSnapshot.State.valueOf(state.name()),
        queue.length(),
        steps(),
        waiting,
        state == State.BLOCKED && waiting > 0 && command != null ? command.getSimpleName() : null,
        options.parent(),
        known == null ? List.of() : known.names(),
        List.of(stack));
  }

  /// The class of what it runs.
  String kind() {
    String name = process.getClass().getName();
    int hidden = name.indexOf('/'); // of a lambda: what follows differs from run to run
    return hidden < 0 ? name : name.substring(0, hidden);
  }
}
