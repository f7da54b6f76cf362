// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.internal.StackReserve;
import dev.heddle.process.Exit;
import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessExitException;
import dev.heddle.process.ProcessFactory;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.UnknownMethodException;
import dev.heddle.process.body.BodyThread;
import dev.heddle.process.body.BodyView;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.event.EventStream;
import dev.heddle.process.observe.FlightEvents;
import dev.heddle.process.relay.CoroutineMailbox;
import dev.heddle.process.relay.Receiver;
import dev.heddle.process.relay.Routes;
import dev.heddle.process.scheduler.Logbook;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.timer.Timers;
import dev.heddle.process.topology.Names;
import dev.heddle.process.topology.Ties;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The processes of one runtime, and what they share.
public final class ProcessHost {
  /// What a host is made of.
  ///
  /// @param runtime as users see it
  /// @param scheduler that runs the processes
  /// @param routes to all that is not a process of this host
  /// @param limit how many may live at once
  /// @param factory for starts and upgrades by name
  /// @param listeners of starts and ends, in the order in which they are told
  /// @param bodies finds the sequential body of a process, if it has one
  /// @param unseen is told of requests that lie in a mailbox at the end of its process
  /// @param lifetime of processes whose options leave it to the runtime, if they have a parent
  public record Parts(
      ProcessRuntime runtime,
      WorkScheduler scheduler,
      Routes routes,
      int limit,
      @Nullable ProcessFactory factory,
      List<ProcessListener> listeners,
      Function<Process, @Nullable BodyView> bodies,
      Consumer<Request> unseen,
      Lifetime lifetime) {}

  private static final String NOTHING_TO_START =
      "the process to spawn is null; whoever makes it must return a new one";

  private final Parts parts;
  private final Dispatcher dispatcher;
  private final Endings endings;
  private final Relations relations;
  private final ProcessTable table = new ProcessTable();
  private final Names names = new Names();
  private final Places places;
  private final HostEvents events = new HostEvents(this);
  private final Listeners listeners;

  // any thread
  private final LongAdder started = new LongAdder();
  private final LongAdder undelivered = new LongAdder();
  private final LongAdder tooLate = new LongAdder();
  private volatile boolean closed;
  private volatile @Nullable CompletableFuture<@Nullable Void> empty;

  /// A host without processes.
  public ProcessHost(Parts parts, Dispatcher dispatcher, Timers timers) {
    this.parts = parts;
    this.dispatcher = dispatcher;
    this.endings = new Endings(this, timers, parts.lifetime());
    this.relations = new Relations(this, parts.routes());
    this.places = new Places(parts.limit(), parts.scheduler().size());
    this.listeners =
        new Listeners(
            parts.listeners(),
            (exit, t) -> log("a listener failed at the end of ", exit.pid(), "", t));
    LiveProcess.rehearse(this, parts.routes().address(0));
    HostShutdown.prepare();
  }

  // ---- starting ----

  /// Starts a process.
  ///
  /// @param by the process that starts it, or null
  /// @return its PID, or that of the process that has its name
  /// @throws NullPointerException when there is nothing to start
  public Pid spawn(Process process, StartOptions options, @Nullable LiveProcess by) {
    return spawn(process, options, by, null);
  }

  /// Starts a process that says which messages it takes.
  ///
  /// @param by the process that starts it, or null
  /// @return what leads to it, or to the process that has its name
  /// @throws StartRefusedException also when that one takes other messages
  public <M> Ref<M> spawnTyped(
      TypedProcess<M> process, StartOptions options, @Nullable LiveProcess by) {
    Class<M> protocol = Objects.requireNonNull(process, NOTHING_TO_START).protocol();
    return runtime().ref(spawn(process, options, by, protocol), protocol);
  }

  private Pid spawn(
      Process process, StartOptions options, @Nullable LiveProcess by, @Nullable Class<?> takes) {
    Objects.requireNonNull(process, NOTHING_TO_START);
    Objects.requireNonNull(options, "the options to spawn with are null; use DEFAULT");
    var _ = BodyThread.carrierOfCall(); // others have their turn
    StackReserve.requireAmple(); // else it might be known, and never begin
    LiveProcess made;
    try {
      made = make(process, by == null ? options : Parents.inherited(options, by));
    } catch (Throwable t) {
      close(process, "a process that was not started");
      throw t;
    }
    LiveProcess other;
    try {
      other = introduce(made, takes);
    } catch (Throwable t) {
      made.refuse(t);
      throw t instanceof RuntimeException e
          ? e
          : new StartRefusedException(String.valueOf(t.getMessage()), t);
    }
    if (other != made) {
      made.refuse(new StartRefusedException("the name belongs to " + other.self(), null));
      return other.self();
    }
    started.increment();
    scheduler().start(made, here()); // not before: what its code waits for may move a body
    return made.self();
  }

  private LiveProcess make(Process process, StartOptions options) {
    if (!process.methods().contains(options.method())) {
      throw new UnknownMethodException(options.method(), process.methods());
    }
    checkOpen();
    int worker = worker();
    if (!places.take(worker)) {
      throw new StartRefusedException(
          "max processes exceeded: " + parts.limit() + " live already; end some, or raise limit()",
          null);
    }
    try {
      Pid address = parts.routes().address(places.number(worker));
      LiveProcess made = new LiveProcess(this, address, process, options);
      if (!table.add(made)) {
        throw new IllegalStateException("the number of a new process is taken: " + address);
      }
      return made;
    } catch (Throwable t) {
      settled();
      throw t;
    }
  }

  /// The number of the worker on whose thread this is.
  private int worker() {
    Worker worker = Worker.current();
    return worker != null && worker.scheduler() == scheduler() && !worker.isSpare()
        ? worker.number()
        : Places.NOBODY;
  }

  private void checkOpen() {
    if (closed) {
      throw new StartRefusedException(
          "the runtime is shutting down; it starts no more processes", null);
    }
  }

  /// Gives a process what its start options say.
  ///
  /// @param protocol of the messages that the process must take that has its name; or null
  /// @return the process, or the one that has its name
  private LiveProcess introduce(LiveProcess made, @Nullable Class<?> protocol) throws Exception {
    checkOpen(); // once more: whoever closes the host sees what is in the table, or we see that
    StartOptions options = made.options();
    if (options.name() != null) {
      Names.Holding holding = names.register(options.name(), made);
      if (holding != null && holding.owner() instanceof LiveProcess owner && owner != made) {
        owner.requireTakes(protocol, options.name(), holding.sinceMillis());
        return owner;
      }
    }
    LiveProcess by = null;
    long monitor = 0;
    if (options.isLinked() || options.isMonitored()) {
      by = Parents.of(options, this);
      monitor = Parents.tie(made, by);
    }
    if (endings.endsWithParent(options)) {
      endings.endWith(Parents.of(options, this), made);
    }
    try {
      listeners.starts(made.self(), options);
    } catch (Throwable t) {
      if (by != null) { // a start that is refused must not end its parent over the link
        Ties.unlink(made, by);
        var _ = Ties.demonitor(by, monitor);
      }
      throw t;
    }
    made.announced();
    events.started(made);
    return made;
  }

  /// Makes a process of a source.
  ///
  /// @throws StartRefusedException when there is no factory, no source, or the factory fails
  Process create(String source) {
    return Sources.create(parts.factory(), source);
  }

  // ---- finding and telling ----

  /// Before something is published for a process: says who goes the rest of the way when the stack
  /// ends in the middle.
  ///
  /// @return the worker in whose step the caller is; null in other threads, and steps of other
  ///   runtimes: they have nobody
  /// @throws StackOverflowError when there is nobody, and the stack may not last
  @Nullable Worker tells(Mortal process, int why) {
    Worker here = Worker.current();
    if (here == null) { // a body that tells others again and again gives way: here nothing is begun
      here = why == Mortal.BY_MESSAGE ? BodyThread.carrierOfCall() : BodyThread.carrier();
    }
    if (here == null || here.scheduler() != scheduler()) {
      StackReserve.requireAmple();
      return null;
    }
    here.tells(process, why);
    return here;
  }

  /// Wakes a process for what was published since [#tells].
  void wake(Mortal process, int why, @Nullable Worker here) {
    scheduler().wake(process, why, here);
    told(here);
  }

  /// Nothing was published after all.
  void told(@Nullable Worker here) {
    if (here != null) {
      here.told();
    }
  }

  /// The worker in whose step the caller is, also where that step runs a body; or null.
  static @Nullable Worker here() {
    Worker worker = Worker.current();
    return worker != null ? worker : BodyThread.carrier();
  }

  /// The process at an address of this host, or null.
  public @Nullable LiveProcess find(Pid pid) {
    if (pid.receiver() instanceof LiveProcess known && known.host == this) {
      return known;
    }
    // the lock of the table, or of the mailbox that it is, stays locked where it is cut off
    StackReserve.requireAmple();
    LiveProcess found = table.find(pid.id());
    return found != null && parts.routes().leadsTo(pid, found.id()) ? found : null;
  }

  /// Sends a message; where the receiver's policy says so, waits for room.
  public SendResult send(Pid to, @Nullable Object message) {
    LiveProcess found = find(to);
    if (found == null) {
      return offer(to, message);
    }
    SendResult result = found.receiveOrWait(message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  /// Sends a message.
  public SendResult offer(Pid to, @Nullable Object message) {
    LiveProcess found = find(to);
    SendResult result;
    if (found != null) {
      result = found.receive(message);
    } else {
      result =
          parts.routes().isHere(to)
              ? offerHere(to, message)
              : parts.routes().elsewhere(to, message);
    }
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  /// A message was not accepted.
  ///
  /// @return the result of the send
  public SendResult refused(Pid to, @Nullable Object message, SendResult result) {
    events.refused(to, null, message, result);
    return result;
  }

  /// A message was sent to a name that no process has.
  public SendResult refused(String name, @Nullable Object message) {
    SendResult result = closed ? SendResult.CLOSED : SendResult.NOT_FOUND;
    events.refused(null, name, message, result);
    return result;
  }

  private SendResult offerHere(Pid to, @Nullable Object message) {
    Receiver other = parts.routes().attached(to);
    if (other != null) {
      return other.receive(message);
    }
    return closed ? SendResult.CLOSED : SendResult.NOT_FOUND;
  }

  /// The same, of an address that must be one of a process of this host, living or not.
  ///
  /// @throws IllegalArgumentException when it is another's, or a mailbox's
  public @Nullable LiveProcess findProcess(Pid pid) {
    LiveProcess found = find(pid);
    if (found == null) {
      if (!parts.routes().isHere(pid)) {
        throw new IllegalArgumentException(
            pid
                + " lives elsewhere; what is sent reaches it, but links, monitors and orders do"
                + " not");
      }
      if (parts.routes().attached(pid) != null) {
        throw new IllegalArgumentException(
            pid + " is a mailbox, no process; it can only be sent to");
      }
    }
    return found;
  }

  /// A mailbox for a coroutine.
  public CoroutineMailbox mailbox(int capacity) {
    return new CoroutineMailbox(parts.routes(), places.number(worker()), capacity);
  }

  /// Closes the mailboxes of coroutines.
  void closeMailboxes() {
    parts.routes().close();
  }

  /// The exit of a process of which nothing is known.
  public static Exit gone(Pid pid) {
    return new Exit(pid, Exit.Reason.NOT_FOUND, null, null);
  }

  Pid register(String name, LiveProcess process) {
    Names.Holding holding = names.register(name, process);
    if (holding != null) {
      return holding.owner().self();
    }
    throw new IllegalStateException(
        process.self() + " has ended; it cannot take the name '" + name + "' any more");
  }

  /// Who has a name, or null.
  public @Nullable LiveProcess named(String name) {
    return names.find(name) instanceof LiveProcess owner ? owner : null;
  }

  /// Completes when a process has a name; one whose end is decided will not have it for long.
  public CompletableFuture<Pid> registered(String name) {
    CompletableFuture<Pid> registered = new CompletableFuture<>();
    Consumer<Ties.Owner> listener = owner -> registered.complete(((LiveProcess) owner).self());
    names.await(name, owner -> !((LiveProcess) owner).isEnding(), listener);
    var _ = registered.whenComplete((_, _) -> names.giveUp(name, listener)); // also when given up
    return registered;
  }

  /// An address that leads nowhere: no process gets the number 0.
  public Pid nobody() {
    return parts.routes().address(0);
  }

  /// What this host and programs publish.
  public EventStream events() {
    return events.stream();
  }

  Names names() {
    return names;
  }

  /// Links and monitors.
  Relations relations() {
    return relations;
  }

  /// Ways to end a process.
  public Endings endings() {
    return endings;
  }

  // ---- ends ----

  /// A process has ended, or could not be made, and nobody knows yet: who does may start another in
  /// its place.
  void settled() {
    places.giveBack(worker());
  }

  void ended(LiveProcess process, Exit exit) {
    record(process, exit);
    listeners.ended(exit, process.isAnnounced());
    if (process.isAnnounced()) {
      events.ended(exit);
    }
    table.remove(process);
    oneLess();
  }

  private static void record(LiveProcess process, Exit exit) {
    try {
      if (exit.isFailure() && FlightEvents.areRecorded()) {
        FlightEvents.abnormalEnd(process.kind(), exit);
      }
    } catch (Throwable _) {
      return; // safe: nobody waits for a record
    }
  }

  private void oneLess() {
    CompletableFuture<@Nullable Void> waiting = empty;
    if (waiting != null
        && table.size() == 0) { // whoever closes reads the size after it has said so
      waiting.complete(null);
    }
  }

  /// Refuses to start processes from now on.
  ///
  /// @return completes when none lives any more
  public CompletableFuture<@Nullable Void> close() {
    CompletableFuture<@Nullable Void> none = new CompletableFuture<>();
    empty = none;
    closed = true;
    if (table.size() == 0) {
      none.complete(null);
    }
    return none;
  }

  /// No worker goes on any more: nobody is started or sent to from now on, and all are told to have
  /// ended.
  public void giveUp(Throwable why) {
    closed = true;
    log("processes of ", parts.runtime(), " are given up: no worker goes on", why);
    for (LiveProcess process : all()) {
      process.end(Exit.Reason.ABANDONED, why);
      var _ = process.abandon(false);
    }
  }

  void close(Process process, Object of) {
    try {
      process.close();
    } catch (Throwable t) {
      log("close() of ", of, " failed", t);
    }
  }

  /// Writes a warning; never throws, also when there is no memory for its words.
  private static void log(String before, Object of, String after, Throwable t) {
    try {
      Logbook.write(Level.WARNING, before + of + after, t);
    } catch (Throwable _) {
      return; // safe: exits tell of it
    }
  }

  void failed(LiveProcess process, Throwable t) {
    if (t instanceof ProcessExitException said && (said.isShutdown() || said.isLinked())) {
      return; // nothing has gone wrong, or it is another's failure
    }
    log("process ", process.self(), " has failed", t);
  }

  /// Something that was done for a process has thrown, of which that is not told.
  void unheard(Mortal process, String what, Throwable t) {
    try {
      log(what + " has failed, of which ", process.self(), " is not told", t);
    } catch (OutOfMemoryError _) {
      return; // safe: only the log lacks it
    }
  }

  /// An event that nobody will see.
  void unseen() {
    undelivered.increment();
  }

  void unpublished(Object event, Throwable t) {
    log("could not publish ", event.getClass(), "", t);
  }

  /// What lies in a mailbox at the end of its process.
  void leftUnseen(LiveProcess in, @Nullable Object content, boolean isMessage) {
    undelivered.increment();
    if (isMessage) {
      events.left(in, content);
    }
    if (content instanceof Request request) {
      parts.unseen().accept(request);
    }
  }

  /// Had to give way to one that came later.
  void displaced(LiveProcess to, ProcessEvent event, @Nullable Object by) {
    unseen();
    events.displaced(to, event.data(), by);
    if (event.data() instanceof Request request) {
      var _ = request.reply().failed(new SendFailedException(to.self(), SendResult.DROPPED));
    }
  }

  void tooLate() {
    tooLate.increment();
  }

  // ---- what others ask ----

  /// All processes, as of a moment ago.
  public List<LiveProcess> all() {
    return table.all();
  }

  /// Whether a process has not ended, or not everybody knows of its end.
  boolean has(LiveProcess process) {
    return table.find(process.id()) == process;
  }

  /// How many live.
  public int size() {
    return table.size();
  }

  /// Events that lay in mailboxes of processes that ended.
  public long undelivered() {
    return undelivered.sum();
  }

  /// Answers to commands that came for nobody.
  public long late() {
    return tooLate.sum();
  }

  /// How many were started.
  public long started() {
    return started.sum();
  }

  Function<Process, @Nullable BodyView> bodies() {
    return parts.bodies();
  }

  WorkScheduler scheduler() {
    return parts.scheduler();
  }

  ProcessRuntime runtime() {
    return parts.runtime();
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  /// Whether it starts no more processes.
  public boolean isClosed() {
    return closed;
  }
}
