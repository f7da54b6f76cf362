// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.ProcessStatistics;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.UnknownEntryPointException;
import dev.heddle.process.dispatch.CommandIssuer;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.fiber.BodyHolder;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.fiber.ForwardedReceiveQueue;
import dev.heddle.process.fiber.ReceiveQueue;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.links.ProcessLinks.Link;
import dev.heddle.process.mailbox.Envelope;
import dev.heddle.process.mailbox.EventBatch;
import dev.heddle.process.mailbox.MailboxReader;
import dev.heddle.process.mailbox.MessageBurst;
import dev.heddle.process.mailbox.Recipient;
import dev.heddle.process.mailbox.SenderQueue;
import dev.heddle.process.routing.LocalPid;
import dev.heddle.process.routing.Receiver;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Node;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A process with its mailbox and its state.
public final class ProcessInstance extends ProcessLifecycle
    implements Receiver, CommandIssuer, BodyHolder, Recipient {
  /*
   * Life. init, then steps, until one is DONE or throws, or until the end was decided from outside
   * (ProcessLifecycle). All of it runs on workers, one at a time (Task).
   *
   * Upgrade. Another Process replaces the current one within the same step: the old one is closed,
   * the new one initialised, and the run continues. Mailbox, links, monitors, names, pending
   * commands and options belong to this class and stay. `unread` holds the events that the old
   * process received but did not handle: the next step begins with them. They were admitted when
   * they left the mailbox, and are not checked again: if the new process removes a monitor, a
   * signal of it among them is still delivered.
   *
   * P10; proc-78 to proc-84, proc-210 to proc-217.
   */
  /// Replaces the code of a terminated process, which may be large.
  private static final class TerminatedProcess implements Process {
    static final Process PROCESS = new TerminatedProcess();

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      throw new IllegalStateException("it has ended");
    }
  }

  private static final int FEW_EVENTS = 128; // the lowest limit for a step: some microseconds

  private final Pid pid;
  private final EventQueue queue;
  private final SenderQueue senders;

  // the worker that steps it
  private Process process;
  private @Nullable MailboxReader inbox; // of a body, which reads the mailbox itself
  private boolean awaitsCommandsOnly; // its last step waits for results only
  private boolean continuesBeforeMessages; // its last step requested this
  private boolean initialised;
  private boolean closed; // the process
  private boolean mailboxClosed;
  // admitted and not taken by a step: what an upgrade or a CONTINUE_BEFORE_MESSAGES has left; at
  // the end, what is not counted yet, bursts as they are
  private @Nullable Node unread;
  private long received; // events given to its steps; read for reports
  private @Nullable CommandTable pendingCommands;
  private @Nullable Map<String, Object> attributes; // its own; inherited ones are in the options

  // the worker that steps it: the default options of its children, created with the first one
  private @Nullable StartOptions childOptions;

  // written by the worker of its first step
  private volatile boolean started;

  // the worker of its last step, which clears what only steps need; read by any thread
  private StartOptions options;

  public ProcessInstance(
      ProcessEnvironment host, Pid address, Process process, StartOptions options) {
    super(
        host,
        switch (options.priority()) {
          case HIGH -> QueuePriority.HIGH;
          case NORMAL -> QueuePriority.NORMAL;
          case LOW -> QueuePriority.LOW;
        });
    this.pid = new LocalPid(address, this);
    this.process = process;
    this.options = options;
    boolean dropsOldest = options.policy() == MailboxPolicy.DROP_OLDEST;
    this.queue = host.scheduler().newQueue(this, options.mailbox(), dropsOldest);
    this.senders =
        options.policy() == MailboxPolicy.SUSPEND ? new SenderQueue(queue) : SenderQueue.UNUSED;
  }

  /// Runs a process from start to end with an instance that no one sees: so all its code is
  /// initialised and linked while there is memory. A class whose initialisation has failed is lost
  /// for good; and when memory is missing to link the code that decides an end, the reason of that
  /// end is lost.
  public static void preload(ProcessEnvironment host, Pid address) {
    ProcessInstance one =
        new ProcessInstance(host, address, TerminatedProcess.PROCESS, StartOptions.defaults());
    var _ = one.queue.push(new Envelope(null));
    var _ = one.queue.pushInOrder(new Envelope(null));
    EventBatch events = EventBatch.of(one.queue.take(FEW_EVENTS), one);
    StepOutput out = new StepOutput();
    out.idle();
    try {
      var _ = one.stepResult(out, events);
    } catch (Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException("it requests nothing that could fail", t);
    }
    one.preloadDecision();
  }

  // ---- steps, on a worker ----

  @Override
  protected StepResult step(Run run) {
    if (isEnding()) {
      return StepResult.DONE;
    }
    try {
      StepOutput out = new StepOutput();
      if (!initialised) {
        initialised = true;
        process.init(context(), options.entryPoint(), options.input());
        notifyStartedUnlessReported();
      }
      EventBatch events =
          continuesBeforeMessages && unread == null ? EventBatch.NONE : takeEvents(run);
      process.step(events, out);
      if (inbox != null) {
        int more = inbox.stepEnded();
        received += more;
        run.countDelivered(more);
      }
      return stepResult(out, events);
    } catch (Throwable t) {
      failWith(t); // first: logging may fail for lack of memory
      FailureLogger.ofProcess(pid, t);
      return StepResult.DONE;
    }
  }

  private void notifyStartedUnlessReported() {
    if (!started && !process.reportsReady()) {
      notifyStarted();
    }
  }

  public void ready() {
    if (!process.reportsReady()) {
      throw new IllegalStateException(
          "ready(): %s (%s) counts as started when its init has returned; let reportsReady() return"
                  .formatted(pid, kind())
              + " true, or start the body with CoroutineProcess.of(body).reportingReady()");
    }
    if (!started) {
      notifyStarted();
    }
  }

  private void notifyStarted() {
    started = true;
    ProcessLinks known = existingLinks(); // safe: a later listener is added, then `started` is read
    if (known != null) {
      known.started();
    }
  }

  /// Adds a listener that is called with true when it has started, and with false when it has ended
  /// before.
  public void onStarted(Consumer<Boolean> listener) {
    processLinks().onStarted(listener);
    if (started) {
      processLinks().started();
    }
  }

  /// Whether it has started, also when it has ended since.
  public boolean hasStarted() {
    return started;
  }

  public void offStarted(Consumer<Boolean> listener) {
    processLinks().offStarted(listener);
  }

  /// Takes the events of one step. Other processes get their turn when a run has lasted its time;
  /// until then, a step may get as many events as all steps before it in this run.
  private EventBatch takeEvents(Run run) {
    int most = Math.max(FEW_EVENTS, run.deliveredEvents());
    if (inbox != null) {
      inbox.stepBegins(run, most);
    }
    if (unread != null) {
      EventBatch left = EventBatch.of((Envelope) unread);
      unread = null;
      return left; // counted when it was taken
    }
    if (inbox != null) {
      EventBatch results = EventBatch.of(queue.takeResults(), this);
      received += results.size();
      return results;
    }
    Node taken = queue.take(most, awaitsCommandsOnly);
    run.taken(taken);
    EventBatch events = EventBatch.of(taken, this);
    received += events.size();
    run.countDelivered(events.size());
    spaceFreed();
    return events;
  }

  /// Serves waiting senders after messages have left the mailbox.
  @Override
  public void spaceFreed() {
    if (senders != SenderQueue.UNUSED) {
      senders.made();
    }
  }

  /// The receive queue of a body: the mailbox if this process runs the body itself, otherwise what
  /// the process around the body forwards.
  @Override
  public ReceiveQueue receiveQueueOf(Process body) {
    if (body != process) {
      return new ForwardedReceiveQueue(event -> unreceivedByBody(event.data()));
    }
    inbox = new MailboxReader(this, queue, options.mailbox());
    return inbox;
  }

  /// Records content that a body within another process has not received before it was closed.
  private void unreceivedByBody(@Nullable Object content) {
    recordUndelivered(content, true);
    if (content instanceof Request request && !isEnding()) { // else the end fails the request
      String why =
          " had forwarded the request to a body, and closed the body before it received the"
              + " request";
      var _ = request.reply().fail(new IllegalStateException(pid + why + "; ask again"));
    }
  }

  @Override
  public void recordUndelivered(@Nullable Object content, boolean isMessage) {
    host.recordUndelivered(this, content, isMessage);
  }

  @Override
  public void resultSeen(long tag) {
    Objects.requireNonNull(pendingCommands).remove(tag);
  }

  /// Carries out what a step has requested. Ends and upgrades are in methods of their own: HotSpot
  /// inlines only methods of at most 325 bytes, and each step pays for one that is longer.
  private StepResult stepResult(StepOutput out, EventBatch events) throws Throwable {
    host.outputs().seal(out);
    dispatch(out);
    StepOutput.Status status = out.status();
    awaitsCommandsOnly =
        status == StepOutput.Status.AWAIT_COMMANDS || status == StepOutput.Status.AWAIT_WAKE_UP;
    continuesBeforeMessages = status == StepOutput.Status.CONTINUE_BEFORE_MESSAGES;
    return switch (status) {
      case CONTINUE -> StepResult.CONTINUE;
      case CONTINUE_BEFORE_MESSAGES -> {
        unread = events.notHandedOut();
        yield StepResult.CONTINUE;
      }
      case IDLE -> hasNothingToDo() ? StepResult.IDLE : StepResult.CONTINUE;
      case EXECUTING -> queue.isEmpty() ? StepResult.WAIT : StepResult.CONTINUE;
      case AWAIT_COMMANDS -> waitForCommands();
      case AWAIT_WAKE_UP -> hasUrgent() ? StepResult.CONTINUE : StepResult.WAIT_FOR_COMMANDS;
      case DONE -> end(new Exit(pid, Exit.Reason.NORMAL, out.result(), null));
      case SHUTDOWN -> end(new Exit(pid, Exit.Reason.SHUTDOWN, null, null, out.detail()));
      case FAILED -> throw Objects.requireNonNull(out.failure());
      case UPGRADE -> upgrade(out, events);
    };
  }

  private StepResult end(Exit exit) {
    endWith(exit);
    return StepResult.DONE;
  }

  private boolean hasNothingToDo() {
    return inbox == null ? queue.isEmpty() : !inbox.hasUnseen();
  }

  /// Whether something has come that wakes a process that waits for command results only.
  private boolean hasUrgent() {
    return inbox == null ? queue.hasUrgent() : queue.hasUrgentNews();
  }

  private StepResult waitForCommands() {
    if (hasUrgent()) {
      return StepResult.CONTINUE;
    }
    if (pendingCommands() == 0) {
      throw new IllegalStateException(
          "awaitCommands() without a pending command would wait forever; execute one, or request"
              + " nothing");
    }
    return StepResult.WAIT_FOR_COMMANDS;
  }

  private void dispatch(StepOutput out) {
    boolean last = out.status().isEnd();
    StepOutputAccess outputs = host.outputs();
    int count = outputs.commandCount(out);
    for (int i = 0; i < count; i++) {
      StepOutput.TaggedCommand request = outputs.commandAt(out, i);
      PendingCommand<?> pending = new PendingCommand<@Nullable Object>(this, request.tag());
      if (!last) { // after the end no result is delivered, and nothing cancels the command
        pendingCommands = pendingCommands == null ? new CommandTable() : pendingCommands;
        pendingCommands.add(pending, request.command());
      }
      Worker here = here();
      if (here != null) {
        here.issued(this, Dispatcher.classOf(request.command()), request.tag());
      }
      host.dispatcher().dispatch(request.command(), pending);
    }
  }

  private StepResult upgrade(StepOutput out, EventBatch events) throws Exception {
    unread = MailboxReader.transferTo(host.outputs().unreceived(out), events.notHandedOut());
    StepOutput.Upgrade to = Objects.requireNonNull(out.upgrade());
    Process next = host.create(to.source());
    try {
      if (!next.entryPoints().contains(to.entryPoint())) {
        throw new UnknownEntryPointException(to.entryPoint(), next.entryPoints());
      }
    } catch (Throwable t) {
      close(next, pid);
      throw t;
    }
    Process old = process;
    inbox = null;
    process = next; // from here on the end closes the new one
    close(old, pid);
    next.init(context(), to.entryPoint(), to.input());
    if (inbox != null) { // before its first step, which takes urgent signals first
      inbox.beginWith((Envelope) unread);
      unread = null;
    }
    notifyStartedUnlessReported();
    return StepResult.CONTINUE;
  }

  // ---- its end ----

  /// Closes the code of a process; logs its failure.
  ///
  /// @param of for the log
  public static void close(Process code, Object of) {
    try {
      code.close();
    } catch (Throwable t) {
      FailureLogger.log("close() of ", of, " failed", t);
    }
  }

  @Override
  void closeCode() {
    if (!closed) {
      closed = true; // before the call: it is closed only once
      close(process, pid);
    }
    if (pendingCommands != null) {
      pendingCommands.cancelAll();
      pendingCommands = null;
    }
    clearInput();
  }

  /// Clears what was given to the code: a PID keeps this object in memory, which must not keep
  /// that.
  private void clearInput() {
    attributes = null;
    options = options.input() == null ? options : options.withInput(null);
    options = options.attributes().isEmpty() ? options : options.withAttributes(Map.of());
  }

  @Override
  void closeMailbox() {
    publishUnread(); // what an upgrade has left
    if (!mailboxClosed) {
      unread = queue.close();
      mailboxClosed = true;
    }
    publishUnread();
  }

  private void publishUnread() {
    for (Node at = unread; at != null; at = unread) {
      if (at instanceof Envelope envelope) {
        envelope.publishUnseen(this);
      } else {
        ((MessageBurst) at).abandon();
      }
      unread = EventQueue.after(at);
    }
  }

  @Override
  void exitNotified(Exit exit) {
    senders.over();
    host.ended(this, exit);
  }

  @Override
  void clear() {
    process = TerminatedProcess.PROCESS;
  }

  // ---- messages, signals and results, from any thread ----

  @Override
  public SendResult receive(@Nullable Object message) {
    if (isAbandoned()) {
      return sendToEnded();
    }
    // safe: a racy read of `inbox`. A body gains nothing from a burst, but reads one that it finds
    Worker sender = queue.isBounded() || inbox != null ? null : WorkerThread.currentWorker();
    return sender != null && sender.scheduler() == host.scheduler() && sender.isBurst(pid.id())
        ? MessageBurst.send(this, queue, message, sender)
        : receiveAlone(message);
  }

  private Envelope envelope(@Nullable Object message) {
    return host.scheduler().recordsMessages() ? recorded(message) : new Envelope(message);
  }

  private Envelope recorded(@Nullable Object message) {
    return Envelope.of(message, host.scheduler().nextNumber(WorkerThread.currentWorker()));
  }

  private SendResult receiveAlone(@Nullable Object message) {
    Envelope envelope = envelope(message);
    Worker here = beginWakeUp(BY_MESSAGE);
    boolean displaces = options.policy() == MailboxPolicy.DROP_OLDEST;
    EventQueue.Push push =
        displaces
            ? queue.push(envelope, oldest -> displaced(oldest, message))
            : senders == SenderQueue.UNUSED ? queue.push(envelope) : senders.offer(envelope);
    if (push == EventQueue.Push.ACCEPTED) {
      // a callback of the dropped request may have waited: a body may be on another worker now
      Worker sender = displaces && here != null ? here() : here;
      host.scheduler().sent(this, envelope, sender);
      endWakeUp(BY_MESSAGE, sender);
    } else {
      cancelWakeUp(here);
    }
    return switch (push) {
      case ACCEPTED -> SendResult.ACCEPTED;
      case FULL ->
          options.policy() == MailboxPolicy.DROP_NEWEST ? SendResult.DROPPED : SendResult.FULL;
      case CLOSED -> sendToEnded();
    };
  }

  /// Accepts the first of several messages, in their order, with one wake-up for all.
  ///
  /// @return how many; the others were not sent, and [#receive] of the next says why, unless there
  ///   is space by then
  public int receiveAll(@Nullable Object[] messages) {
    if (isAbandoned()) {
      return 0;
    }
    if (options.policy() == MailboxPolicy.DROP_OLDEST) {
      int accepted = 0;
      while (accepted < messages.length && receive(messages[accepted]) == SendResult.ACCEPTED) {
        accepted++;
      }
      return accepted;
    }
    Envelope[] envelopes = new Envelope[messages.length];
    for (int i = 0; i < envelopes.length; i++) {
      envelopes[i] = envelope(messages[i]);
    }
    Worker here = beginWakeUp(BY_MESSAGE);
    int accepted = pushAll(envelopes);
    if (accepted > 0) {
      host.scheduler().sent(this, envelopes, accepted, here);
      endWakeUp(BY_MESSAGE, here);
    } else {
      cancelWakeUp(here);
    }
    return accepted;
  }

  private int pushAll(Envelope[] envelopes) {
    int accepted = 0;
    while (accepted < envelopes.length) {
      int more =
          senders == SenderQueue.UNUSED
              ? queue.pushSome(envelopes, accepted, envelopes.length)
              : senders.offerSome(envelopes, accepted, envelopes.length);
      if (more == 0) {
        break;
      }
      accepted += more;
    }
    return accepted;
  }

  @Override
  public SendResult sendToEnded() {
    return host.isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
  }

  private void displaced(Node oldest, @Nullable Object by) {
    host.displaced(this, ((Envelope) oldest).event(), by);
  }

  /// Like [#receive], but waits for space if the policy and the caller allow it.
  public SendResult receiveOrWait(@Nullable Object message) {
    SendResult first = receive(message);
    if (first != SendResult.FULL || isOfCaller()) {
      return first;
    }
    SendResult later = senders.receive(this, message);
    if (later == SendResult.ACCEPTED) {
      Worker sender = here();
      host.scheduler()
          .sent(
              this,
              null, // it was received before, perhaps
              sender != null && sender.scheduler() == host.scheduler() ? sender : null);
    }
    return later;
  }

  /// Whether the caller is its own code, which cannot make space while it waits.
  private boolean isOfCaller() {
    Worker here = here();
    return here != null && here.running() == this;
  }

  /// Whether its mailbox is filled to three quarters or more, and refuses messages when it is full.
  public boolean isNearlyFull() {
    return isRefusing() && 4L * length() >= 3L * options.mailbox();
  }

  /// Whether its mailbox is filled to half or less, or never refuses a message.
  public boolean isHalfEmpty() {
    return !isRefusing() || 2L * length() <= options.mailbox();
  }

  private boolean isRefusing() {
    return queue.isBounded()
        && (options.policy() == MailboxPolicy.REJECT || options.policy() == MailboxPolicy.SUSPEND);
  }

  /// Tells it that messages were not delivered, if it wants that.
  public void undelivered(ProcessSignal.Undelivered signal) {
    if (trapsUndelivered()) {
      var _ = ordered(signal); // false: it has ended
    }
  }

  @Override
  public void serveSenders() {
    Worker here = beginWakeUp(BY_MESSAGE);
    if (senders.fill()) {
      endWakeUp(BY_MESSAGE, here);
    } else {
      cancelWakeUp(here);
    }
  }

  @Override
  boolean urgent(ProcessSignal signal) {
    Envelope envelope = new Envelope.UrgentEnvelope(signal);
    Worker here = beginWakeUp(BY_COMMAND);
    return pushed(queue.pushUrgent(envelope), here);
  }

  @Override
  boolean ordered(ProcessSignal signal) {
    return ordered(new Envelope(signal));
  }

  private boolean ordered(Envelope envelope) {
    Worker here = beginWakeUp(BY_COMMAND);
    return pushed(queue.pushInOrder(envelope), here);
  }

  @Override
  public void deliver(ProcessEvent event, boolean inOrder) {
    Envelope envelope = new Envelope.ResultEnvelope(event);
    Worker here = beginWakeUp(BY_COMMAND);
    EventQueue.Push push = queue.pushResult(envelope, inOrder);
    if (push == EventQueue.Push.ACCEPTED) {
      host.scheduler().completed(this, event.tag(), event.error() != null, here);
    }
    if (!pushed(push, here)) {
      host.onLateResult();
    }
  }

  @Override
  public void applyLinkExit(Link link, Exit exit, boolean bySignal) {
    if (bySignal) {
      var _ = ordered(new Envelope.LinkEnvelope(link, new ProcessSignal.LinkDown(exit)));
    } else {
      wakeUp();
    }
  }

  @Override
  public void monitorFired(long monitor, Exit exit) {
    var _ = ordered(new Envelope.MonitorEnvelope(new ProcessSignal.Down(monitor, exit)));
  }

  private boolean pushed(EventQueue.Push push, @Nullable Worker here) {
    if (push != EventQueue.Push.ACCEPTED) {
      cancelWakeUp(here);
      return false;
    }
    endWakeUp(BY_COMMAND, here);
    return true;
  }

  public List<Pid> links() {
    ProcessLinks known = existingLinks();
    return known == null ? List.of() : known.links();
  }

  public List<Pid> monitored() {
    ProcessLinks known = existingLinks();
    return known == null ? List.of() : known.monitored();
  }

  public boolean isEnded() {
    return state() == State.COMPLETE;
  }

  @Override
  public Pid self() {
    return pid;
  }

  // ---- for its code and its command handlers, on its worker ----

  private ProcessContext context() {
    return host.contextOf(this);
  }

  @Override
  public void monitor(Pid other, LongConsumer known) {
    host.monitor(this, other, known);
  }

  @Override
  public @Nullable PendingCommand<?> invocation(long tag) {
    return pendingCommands == null ? null : pendingCommands.find(tag);
  }

  @Override
  public void onLateResult(PendingCommand<?> pending) {
    host.onLateResult();
  }

  @Override
  public void waitsForProcess() {
    host.scheduler().taskMayWait();
  }

  @Override
  public void logUnreported(String what, Throwable thrown) {
    FailureLogger.logUnreported(pid, what, thrown);
  }

  public ProcessStatistics statistics() {
    return new ProcessStatistics(steps(), received, length(), pendingCommands());
  }

  /// Refuses a typed start that asked for a name of this process, when the messages of that start
  /// are not accepted here: its caller would get a reference that the compiler trusts, to a process
  /// of other messages. A process that accepts a superclass passes.
  ///
  /// @param protocol the messages that the other start must be able to send, or null for any
  /// @throws StartRefusedException when this process does not accept them
  public void requireTakes(@Nullable Class<?> protocol, String name, long sinceMillis) {
    Process now = process; // safe: a racy read; an upgrade may change it at any time
    if (protocol == null || now == TerminatedProcess.PROCESS) {
      return;
    }
    Class<?> taken = now instanceof TypedProcess<?> typed ? typed.protocol() : null;
    if (taken == null || !taken.isAssignableFrom(protocol)) {
      String takes = taken == null ? "has no protocol" : "takes messages of " + taken.getName();
      throw new StartRefusedException(
          "the name '%s' belongs to %s (%s) since %s, which %s, not of %s; start under another"
                  .formatted(
                      name,
                      pid,
                      kind(),
                      Instant.ofEpochMilli(sinceMillis),
                      takes,
                      protocol.getName())
              + " name, or end that process first",
          null);
    }
  }

  private int length() {
    return queue.length(queue.isBounded() ? 0 : host.scheduler().inBurstsFor(this));
  }

  public int pendingCommands() {
    CommandTable commands = pendingCommands; // read once: reports call this while it may end
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

  public StartOptions withThisParent(StartOptions given) {
    if (given != StartOptions.defaults()) {
      return given.withParent(pid);
    }
    if (childOptions == null) {
      childOptions = given.withParent(pid);
    }
    return childOptions;
  }

  /// The attributes that its children inherit.
  public Map<String, Object> inheritable() {
    if (attributes == null) {
      return options.attributes();
    }
    Map<String, Object> all = new HashMap<>(options.attributes());
    all.putAll(attributes);
    return all;
  }

  // ---- for reports, from any thread ----

  /// A snapshot of it.
  ///
  /// @param stack the stack of its step or its body; empty when there is none or it was not
  ///   requested
  /// @param body its body, if it has one
  public ProcessSnapshot snapshot(StackTraceElement[] stack, @Nullable FiberView body) {
    // safe: racy reads of fields of the worker; what they refer to does not change
    State state = state();
    CommandTable commands = pendingCommands;
    int waiting = commands == null ? 0 : commands.size();
    ProcessLinks known = existingLinks();
    return new ProcessSnapshot(
        pid,
        kind(),
        ProcessSnapshot.State.valueOf(state.name()),
        initialised && !started && state != State.COMPLETE,
        length(),
        steps(),
        waiting,
        CommandTable.waitsFor(state, commands, body),
        options.parent(),
        known == null ? List.of() : known.names(),
        links(),
        monitored(),
        List.of(stack));
  }

  /// The number of messages and other events that it has not taken. **Thread** any.
  public int mailbox() {
    return length();
  }

  /// What it waits for, or null. **Thread** any.
  public @Nullable String waitsFor() {
    return CommandTable.waitsFor(state(), pendingCommands, body()); // safe: racy reads
  }

  /// The code that runs in it. **Thread** any; the value may be a moment old.
  public Process process() {
    return process;
  }

  public @Nullable CommandTable commands() {
    return pendingCommands; // safe: a racy read
  }

  public @Nullable FiberView body() {
    return host.bodyOf(process); // safe: a racy read
  }

  @Override
  protected boolean isResumable() {
    FiberView body = body();
    return body != null && body.thread().isResumable();
  }

  @Override
  public long number() {
    return id();
  }

  @Override
  public String outcome() {
    return isEnding()
        ? switch (ending().reason()) {
          case NORMAL -> "";
          case FAILED -> "fails";
          case LINKED -> "fails with a linked process";
          case SHUTDOWN -> "is shut down";
          case TERMINATED -> "is terminated";
          case ABANDONED -> "is abandoned";
          case NOT_FOUND, NO_CONNECTION -> throw new AssertionError("it was there");
        }
        : "";
  }

  @Override
  public String label() {
    return pid + " (" + kind() + ")";
  }

  @Override
  public @Nullable String realTimeWait() {
    FiberView body = body();
    return body == null || !body.thread().isInTimedWait()
        ? null
        : Stream.of(body.stack()).map(frame -> "\n  at " + frame).collect(Collectors.joining());
  }

  @Override
  public String kind() {
    String name = process.getClass().getName();
    int hidden = name.indexOf('/'); // of a lambda: the rest differs from run to run
    return hidden < 0 ? name : name.substring(0, hidden);
  }
}
