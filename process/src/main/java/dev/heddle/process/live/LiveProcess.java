// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.ProcessStatistics;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.Signal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.UnknownMethodException;
import dev.heddle.process.body.BodyView;
import dev.heddle.process.body.HandedInbox;
import dev.heddle.process.body.Inbox;
import dev.heddle.process.dispatch.Caller;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.mailbox.Envelope;
import dev.heddle.process.mailbox.EventBatch;
import dev.heddle.process.mailbox.MessageBurst;
import dev.heddle.process.mailbox.Recipient;
import dev.heddle.process.mailbox.Room;
import dev.heddle.process.mailbox.Unread;
import dev.heddle.process.relay.LocalPid;
import dev.heddle.process.relay.Receiver;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.topology.Ties;
import dev.heddle.process.topology.Ties.Link;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A process, its mailbox and its state.
public final class LiveProcess extends Mortal implements Receiver, Caller, Inbox.Source, Recipient {
  /*
   * Life. init, then steps, until one is DONE or throws, or the end was decided by another; that
   * part is in Mortal. All of it runs on workers, one at a time (Task).
   *
   * Upgrade. Another Process takes the place within the same step: the old one is closed, the new
   * one initialised, and the run goes on. Mailbox, ties, outstanding commands and options belong
   * to this class and stay. `unread` holds what the old one was given and has not read, or has not
   * received as a body: the next step begins with it. It was admitted when it was taken, and is
   * not admitted again: a monitor that the new one takes back then counts as seen, and its signal
   * comes.
   *
   * P10; proc-77 to proc-84, proc-210 to proc-217.
   */
  private static final int FEW_EVENTS = 128; // in a step, at the least: some microseconds

  private final Pid pid;
  private final EventQueue queue;
  private final Room room;

  // the worker that steps it
  private Process process;
  private @Nullable Unread inbox; // what a sequential body reads itself, instead of being given it
  private boolean deaf; // its last step waits for results only
  private boolean goesOn; // its last step goes on, with what it has left
  private boolean begun;
  private boolean closed; // the process
  private boolean refuses; // the mailbox is closed
  // admitted, and seen by no step: what an upgrade, or one that goes on, has left; at the end what
  // is not counted yet, bursts as they are
  private EventQueue.@Nullable Node unread;
  private long received; // events that its steps were given; read for reports
  private @Nullable Outstanding outstanding;
  private @Nullable Map<String, Object>
      attributes; // its own; what it has inherited is in the options

  // the worker that steps it: the usual options of those that it starts, made with the first
  private @Nullable StartOptions childOptions;

  // the worker of its first step, read by whoever waits for that
  private volatile boolean started;

  // the worker of its last step, which takes out what only steps need; any thread reads the rest
  private StartOptions options;

  public LiveProcess(ProcessEnvironment host, Pid address, Process process, StartOptions options) {
    super(
        host,
        switch (options.priority()) {
          case HIGH -> Rank.FIRST;
          case NORMAL -> Rank.USUAL;
          case LOW -> Rank.LAST;
        });
    this.pid = new LocalPid(address, this);
    this.process = process;
    this.options = options;
    this.queue = new EventQueue(options.mailbox(), options.policy() == MailboxPolicy.DROP_OLDEST);
    this.room = options.policy() == MailboxPolicy.SUSPEND ? new Room(queue) : Room.UNUSED;
  }

  /// Goes through what a process needs from its start to its end, with one that nobody sees: so all
  /// that is initialised, and linked, while there is memory. A class whose initialisation has
  /// failed is lost for good, and whoever finds that the end of a process cannot be decided, for
  /// want of memory to link that, cannot say why it ends.
  public static void rehearse(ProcessEnvironment host, Pid address) {
    LiveProcess one = new LiveProcess(host, address, Ended.PROCESS, StartOptions.defaults());
    var _ = one.queue.push(new Envelope(null));
    var _ = one.queue.pushInOrder(new Envelope(null));
    EventBatch events = EventBatch.of(one.queue.take(FEW_EVENTS), one);
    StepOutput out = new StepOutput();
    out.idle();
    try {
      var _ = one.verdict(out, events);
    } catch (Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException("it asks for nothing that could fail", t);
    }
    one.decideOnce();
  }

  // ---- steps, on a worker ----

  @Override
  protected Verdict step(Worker worker) {
    if (isEnding()) {
      return Verdict.DONE;
    }
    try {
      StepOutput out = new StepOutput();
      if (!begun) {
        begun = true;
        process.init(context(), options.method(), options.input());
        tellStartedUnlessItDoes();
      }
      EventBatch events = goesOn && unread == null ? EventBatch.NONE : takeEvents(worker);
      process.step(events, out);
      if (inbox != null) {
        int more = inbox.ends();
        received += more;
        worker.handOut(more);
      }
      return verdict(out, events);
    } catch (Throwable t) {
      fails(t); // first: to log it may take memory that there is not
      Failures.ofProcess(pid, t);
      return Verdict.DONE;
    }
  }

  private void tellStartedUnlessItDoes() {
    if (!started && !process.reportsReady()) {
      tellStarted();
    }
  }

  /// It says that it has started.
  public void ready() {
    if (!process.reportsReady()) {
      throw new IllegalStateException(
          "ready(): "
              + pid
              + " ("
              + kind()
              + ") counts as started when its init has returned; let reportsReady() return true, or"
              + " start the body with CoroutineProcess.of(body).reportingReady()");
    }
    if (!started) {
      tellStarted();
    }
  }

  private void tellStarted() {
    started = true;
    Ties known = knownTies(); // safe: who makes ties after this read looks at `started` after that
    if (known != null) {
      known.started();
    }
  }

  /// Lets code be told when it has started (true), or has ended before (false).
  public void onStarted(Consumer<Boolean> listener) {
    ties().onStarted(listener);
    if (started) {
      ties().started();
    }
  }

  /// Whether it has started, also when it has ended since.
  public boolean hasStarted() {
    return started;
  }

  /// Forgets whoever waits for its start.
  public void offStarted(Consumer<Boolean> listener) {
    ties().offStarted(listener);
  }

  /// What one step is given. Others have their turn when a run has lasted its time, so as long as
  /// it has not, a step may have as much as all before it in this run.
  private EventBatch takeEvents(Worker worker) {
    int most = Math.max(FEW_EVENTS, worker.handed());
    if (inbox != null) {
      inbox.begins(most);
    }
    if (unread != null) {
      EventBatch left = EventBatch.of((Envelope) unread);
      unread = null;
      return left; // which was counted when it was taken
    }
    if (inbox != null) {
      EventBatch results = EventBatch.of(queue.takeResults(), this);
      received += results.size();
      return results;
    }
    EventBatch events = EventBatch.of(queue.take(most, deaf), this);
    received += events.size();
    worker.handOut(events.size());
    hasRoom();
    return events;
  }

  /// Messages have left the mailbox.
  @Override
  public void hasRoom() {
    if (room != Room.UNUSED) {
      room.made();
    }
  }

  /// The inbox of a body: what has come for this process, when it is the body of this; else what
  /// the process around it hands on.
  @Override
  public Inbox inboxOf(Process body) {
    if (body != process) {
      return new HandedInbox(event -> leftByABody(event.data()));
    }
    inbox = new Unread(this, queue, options.mailbox());
    return inbox;
  }

  /// A body that another process has run within this one was closed, and has not received it.
  private void leftByABody(@Nullable Object content) {
    leftUnseen(content, true);
    if (content instanceof Request request && !isEnding()) { // else its asker is told of the end
      var _ =
          request
              .reply()
              .failed(
                  new IllegalStateException(
                      pid
                          + " had handed the request to a body, and has closed that before it had"
                          + " received it; ask again"));
    }
  }

  @Override
  public void leftUnseen(@Nullable Object content, boolean isMessage) {
    host.leftUnseen(this, content, isMessage);
  }

  @Override
  public void resultSeen(long tag) {
    Objects.requireNonNull(outstanding).remove(tag);
  }

  private Verdict verdict(StepOutput out, EventBatch events) throws Throwable {
    out.seal();
    dispatch(out);
    StepOutput.Status status = out.status();
    deaf = status == StepOutput.Status.YIELD_ONLY || status == StepOutput.Status.UNTIL_WOKEN;
    goesOn = status == StepOutput.Status.GO_ON;
    return switch (status) {
      case CONTINUE -> Verdict.CONTINUE;
      case GO_ON -> {
        unread = events.notHandedOut();
        yield Verdict.CONTINUE;
      }
      case IDLE -> isThereNothing() ? Verdict.REST : Verdict.CONTINUE;
      case YIELD -> queue.isEmpty() ? Verdict.WAIT : Verdict.CONTINUE;
      case YIELD_ONLY -> waitForCommands();
      case UNTIL_WOKEN -> hasUrgent() ? Verdict.CONTINUE : Verdict.WAIT_DEAF;
      case DONE -> {
        endsWith(new Exit(pid, Exit.Reason.NORMAL, out.result(), null));
        yield Verdict.DONE;
      }
      case SHUTDOWN -> {
        endsWith(new Exit(pid, Exit.Reason.SHUTDOWN, null, null, out.detail()));
        yield Verdict.DONE;
      }
      case FAILED -> throw Objects.requireNonNull(out.failure());
      case UPGRADE -> {
        unread = Unread.handOn(out.unreceived(), events.notHandedOut());
        yield upgrade(Objects.requireNonNull(out.upgrade()));
      }
    };
  }

  private boolean isThereNothing() {
    return inbox == null ? queue.isEmpty() : !inbox.hasNews();
  }

  /// Whether something has come that wakes a process that is deaf to messages.
  private boolean hasUrgent() {
    return inbox == null ? queue.hasUrgent() : queue.hasUrgentNews();
  }

  private Verdict waitForCommands() {
    if (hasUrgent()) {
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
    boolean last = out.status().isEnd();
    for (int i = 0; i < out.yieldCount(); i++) {
      StepOutput.Yield yield = out.yieldAt(i);
      PendingCommand<?> invocation = new PendingCommand<@Nullable Object>(this, yield.tag());
      if (!last) { // else nobody will see its result, and nobody calls it off
        outstanding = Outstanding.with(outstanding, invocation, yield.command());
      }
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
      Failures.close(next, pid);
      throw t;
    }
    Process old = process;
    inbox = null;
    process = next; // from here on it is the one that the end closes
    Failures.close(old, pid);
    next.init(context(), to.method(), to.input());
    if (inbox != null) { // before its first step, which then looks first at what is urgent
      inbox.beginWith((Envelope) unread);
      unread = null;
    }
    tellStartedUnlessItDoes();
    return Verdict.CONTINUE;
  }

  // ---- its end ----

  @Override
  void leave() {
    if (!closed) {
      closed = true; // once, whatever comes of it
      Failures.close(process, pid);
    }
    if (outstanding != null) {
      outstanding.abandon();
      outstanding = null;
    }
    forgetInput();
  }

  /// A PID that is kept keeps this object, but not what was given to its body.
  private void forgetInput() {
    attributes = null;
    options = options.input() == null ? options : options.withInput(null);
    options = options.attributes().isEmpty() ? options : options.withAttributes(Map.of());
  }

  @Override
  void closeMailbox() {
    leaveUnread(); // of an upgrade
    if (!refuses) {
      unread = queue.close();
      refuses = true;
    }
    leaveUnread();
  }

  private void leaveUnread() {
    for (EventQueue.Node at = unread; at != null; at = unread) {
      if (at instanceof Envelope envelope) {
        envelope.leaveUnseen(this);
      } else {
        ((MessageBurst) at).abandon();
      }
      unread = EventQueue.after(at);
    }
  }

  @Override
  void told(Exit exit) {
    room.over();
    host.ended(this, exit);
  }

  @Override
  void bury() {
    process = Ended.PROCESS;
  }

  // ---- what comes, from any thread ----

  @Override
  public SendResult receive(@Nullable Object message) {
    if (isAbandoned()) {
      return gone();
    }
    // safe: a body reads bursts one by one, at no gain; what is left of one when that begins is
    // read
    Worker sender = queue.isBounded() || inbox != null ? null : Worker.current();
    return sender != null && sender.scheduler() == host.scheduler() && sender.floods(pid.id())
        ? MessageBurst.send(this, queue, message, sender)
        : receiveAlone(message);
  }

  private SendResult receiveAlone(@Nullable Object message) {
    Envelope envelope = new Envelope(message);
    Worker here = beginWakeUp(BY_MESSAGE);
    boolean displaces = options.policy() == MailboxPolicy.DROP_OLDEST;
    EventQueue.Push push =
        displaces
            ? queue.push(envelope, oldest -> displaced(oldest, message))
            : room == Room.UNUSED ? queue.push(envelope) : room.offer(envelope);
    if (push == EventQueue.Push.ACCEPTED) {
      // who was displaced may have been told by code that waits: a body may be elsewhere by now
      endWakeUp(BY_MESSAGE, displaces && here != null ? here() : here);
    } else {
      cancelWakeUp(here);
    }
    return switch (push) {
      case ACCEPTED -> SendResult.ACCEPTED;
      case FULL ->
          options.policy() == MailboxPolicy.DROP_NEWEST ? SendResult.DROPPED : SendResult.FULL;
      case CLOSED -> gone();
    };
  }

  @Override
  public SendResult gone() {
    return host.isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
  }

  private void displaced(EventQueue.Node oldest, @Nullable Object by) {
    host.displaced(this, ((Envelope) oldest).event(), by);
  }

  /// The same, but waits for room where the policy says so and the caller can.
  public SendResult receiveOrWait(@Nullable Object message) {
    SendResult first = receive(message);
    return first == SendResult.FULL && !isOfCaller() ? room.receive(this, message) : first;
  }

  /// Whether the caller is its code: who waits for room in its own mailbox makes none.
  private boolean isOfCaller() {
    Worker here = here();
    return here != null && here.running() == this;
  }

  @Override
  public void fill() {
    Worker here = beginWakeUp(BY_MESSAGE);
    if (room.fill()) {
      endWakeUp(BY_MESSAGE, here);
    } else {
      cancelWakeUp(here);
    }
  }

  @Override
  boolean urgent(Signal signal) {
    return urgent(new Envelope.Urgent(signal));
  }

  private boolean urgent(Envelope envelope) {
    Worker here = beginWakeUp(BY_COMMAND);
    return pushed(queue.pushUrgent(envelope), here);
  }

  @Override
  boolean ordered(Signal signal) {
    return ordered(new Envelope(signal));
  }

  private boolean ordered(Envelope envelope) {
    Worker here = beginWakeUp(BY_COMMAND);
    return pushed(queue.pushInOrder(envelope), here);
  }

  @Override
  public void deliver(ProcessEvent event, boolean inOrder) {
    Envelope envelope = new Envelope.OfResult(event);
    Worker here = beginWakeUp(BY_COMMAND);
    if (!pushed(queue.pushResult(envelope, inOrder), here)) {
      host.tooLate();
    }
  }

  @Override
  public void linkBroken(Link link, Exit exit, boolean bySignal) {
    if (bySignal) {
      var _ = ordered(new Envelope.OfLink(link, new Signal.LinkDown(exit))); // or it has ended
    } else {
      wakeUp();
    }
  }

  @Override
  public void monitorFired(long monitor, Exit exit) {
    var _ = ordered(new Envelope.OfMonitor(new Signal.Down(monitor, exit))); // or it has ended
  }

  private boolean pushed(EventQueue.Push push, @Nullable Worker here) {
    if (push != EventQueue.Push.ACCEPTED) {
      cancelWakeUp(here);
      return false;
    }
    endWakeUp(BY_COMMAND, here);
    return true;
  }

  /// Those that it is linked to.
  public List<Pid> links() {
    Ties known = knownTies();
    return known == null ? List.of() : known.links();
  }

  /// Those that it monitors.
  public List<Pid> monitored() {
    Ties known = knownTies();
    return known == null ? List.of() : known.monitored();
  }

  /// Whether it has taken its last step.
  public boolean isEnded() {
    return state() == State.COMPLETE;
  }

  @Override
  public Pid self() {
    return pid;
  }

  // ---- what its code, and those who carry out its commands, may ask; its worker ----

  @Override
  public ProcessContext context() {
    return host.contextOf(this);
  }

  @Override
  public void monitor(Pid other, LongConsumer known) {
    host.monitor(this, other, known);
  }

  @Override
  public @Nullable PendingCommand<?> invocation(long tag) {
    return outstanding == null ? null : outstanding.find(tag);
  }

  @Override
  public void tooLate(PendingCommand<?> invocation) {
    host.tooLate();
  }

  @Override
  public void waitsForAnother() {
    host.scheduler().aTaskWaits();
  }

  @Override
  public void unheard(String what, Throwable thrown) {
    Failures.untold(pid, what, thrown);
  }

  /// What it has done; its worker.
  public ProcessStatistics statistics() {
    return new ProcessStatistics(steps(), received, length(), outstanding());
  }

  /// Another start has asked for its name, and is given this process.
  ///
  /// @param protocol of the messages that the other start is to be able to send, or null for any
  /// @throws dev.heddle.process.StartRefusedException when this one does not take them
  public void requireTakes(@Nullable Class<?> protocol, String name, long sinceMillis) {
    Process now = process; // safe: the one of some moment; an upgrade may change it at any time
    if (protocol != null && now != Ended.PROCESS) {
      new TakenName(name, pid, kind(), now, sinceMillis).requireTakes(protocol);
    }
  }

  private int length() {
    return queue.length(queue.isBounded() ? 0 : host.scheduler().inBurstsFor(this));
  }

  /// How many commands have no answer yet.
  public int outstanding() {
    Outstanding commands = outstanding; // once: reports ask, too, while it may end
    return commands == null ? 0 : commands.size();
  }

  public StartOptions options() {
    return options;
  }

  public @Nullable Object attribute(String key) {
    Object own = attributes == null ? null : attributes.get(key);
    return own != null ? own : options.attributes().get(key);
  }

  public void setAttribute(String key, Object value) {
    if (attributes == null) {
      attributes = new HashMap<>(4);
    }
    attributes.put(key, Objects.requireNonNull(value, "value"));
  }

  /// Options, with this one as parent.
  public StartOptions asParent(StartOptions given) {
    if (given != StartOptions.defaults()) {
      return given.withParent(pid);
    }
    if (childOptions == null) {
      childOptions = given.withParent(pid);
    }
    return childOptions;
  }

  /// What those that it starts inherit.
  public Map<String, Object> inheritable() {
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
  /// @param stack of its step or its body, if it is wanted and there is one
  /// @param body of it, if it has one
  public ProcessSnapshot snapshot(StackTraceElement[] stack, @Nullable BodyView body) {
    // safe: fields of the worker, read at some moment; what they lead to does not change
    State state = state();
    Outstanding commands = outstanding;
    int waiting = commands == null ? 0 : commands.size();
    Ties known = knownTies();
    return new ProcessSnapshot(
        pid,
        kind(),
        ProcessSnapshot.State.valueOf(state.name()),
        begun && !started && state != State.COMPLETE,
        length(),
        steps(),
        waiting,
        Outstanding.waitsFor(state, commands, body),
        options.parent(),
        known == null ? List.of() : known.names(),
        links(),
        monitored(),
        List.of(stack));
  }

  /// Whether it waits for results, and for no message.
  public boolean hearsResultsOnly() {
    return isDeaf();
  }

  /// Its commands that have no answer yet, or null.
  public @Nullable Outstanding commands() {
    return outstanding; // safe: read at some moment
  }

  /// Its sequential body, if it has one that has begun.
  public @Nullable BodyView body() {
    return host.bodyOf(process); // safe: read at some moment
  }

  @Override
  protected boolean isDue() {
    BodyView body = body();
    return body != null && body.thread().isDue();
  }

  @Override
  public String kind() {
    String name = process.getClass().getName();
    int hidden = name.indexOf('/'); // of a lambda: what follows differs from run to run
    return hidden < 0 ? name : name.substring(0, hidden);
  }
}
