// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import dev.heddle.Heddle;
import dev.heddle.Registration;
import dev.heddle.eventloop.EventLoopTurns;
import dev.heddle.eventloop.HostedEventLoop;
import dev.heddle.eventloop.LoopDriver;
import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.EmbeddedEventLoop;
import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.netty.handler.NettyDriver;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A Netty event loop on a Heddle loop: pipelines share its thread with the coroutines.
///
/// {@snippet class=dev.heddle.netty.NettySnippetsTest region=server}
///
/// It can be used as a group of one in `ServerBootstrap` and `Bootstrap`. [#serverChannelType()]
/// and its like name the channel types of the loop's driver.
///
/// **Handlers and tasks** run in a coroutine of the event loop, one at a time; `inEventLoop()` is
/// true only there. Calls of other coroutines and threads on a channel reach it as tasks, in order.
/// A handler that waits, for example for a lock, delays all channels of this event loop, as in
/// Netty; the loop's other coroutines continue. Do long waits in a coroutine: pass a
/// [dev.heddle.coroutine.Scope] to the handler and spawn in it. An exception of a handler or a task
/// is handled as in Netty.
///
/// **Waiting** To wait for a future in a coroutine, use [NettyFutures#await(Future)], which can be
/// cancelled and takes deadlines. Netty's own `sync()` and `await()` work there, too. In a handler
/// or a task, all of them throw a [io.netty.util.concurrent.BlockingOperationException].
///
/// **Life** Like a Heddle listener, channels, tasks and timers do not keep the loop alive; a
/// coroutine that waits for them does. While there are any, the loop does not count as deadlocked.
/// A handler or a task that waits is a waiting coroutine: the loop does not end before it. When its
/// coroutines have ended, the loop closes the channels, as [#shutdownGracefully()] does; later
/// tasks are rejected.
///
/// **Thread** any, except for [#current()].
///
/// @since 0.1
public final class HeddleEventLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
  /*
   * States.
   *   from           event                            to       who, order
   *   OPEN           shutdownGracefully(), loop ends  CLOSING  any: CAS; the winner queues closing
   *   CLOSING        a turn leaves no handle or task  ENDED    the turn: set, then the future
   *   OPEN, CLOSING  the driver closes                CLOSING  the carrier: shuts sockets down
   *   CLOSING        the driver has closed            ENDED    its own thread, closing by force
   *
   * A Netty handler, or an allocator or logger that it calls, takes locks. So all of it runs in
   * turns of the event loop's own coroutine, and nowhere else: EventLoopTurns says why. Parked on
   * the stack of a writing coroutine, it would let other coroutines enter the pipeline: responses
   * would mix, TLS records would be torn. [WaitsTest checks Heddle's own code]
   *
   *   any thread  execute, schedule, calls on channels ──tasks──┐
   *   trampoline  readiness, completions ────────────────events─┴─> the turn
   *
   * While a turn is parked, both queues wait for it, in order, and the loop continues. A turn
   * alternates between one event and one task.
   *
   * The forced end. When the loop has ended with open channels (its deadline has passed, or it
   * failed), no coroutine can run any more. The carrier shuts down the channels' sockets, whatever
   * the state of their pipelines, ends the driver's handler, and closes the descriptors, in this
   * order, because the handler may still use them. Then a last turn on its own thread notifies the
   * pipelines (LastTurn): a handler that waits there for something that an abandoned coroutine
   * holds may wait forever, and delays only itself. A turn that was parked in a handler when the
   * loop ended is abandoned, and may continue at any time on the JDK's scheduler. It also uses
   * descriptors, which another connection could have by then; so they stay open, with their sockets
   * shut down, until that turn has returned, and the last turn waits for it. The abandoned turn
   * makes no requests to the driver's handler (EmbeddedHandle.isAbandoned).
   *
   * Memory order. offer() adds the task, then reads the phase; the turn writes ENDED, then takes
   * the remaining tasks. So a task is either run, or removed and rejected by the thread that added
   * it. IoHandlerAdapter's wake-up makes the trampoline request a turn.
   *
   * Time. Netty's ticker has another origin than System.nanoTime(); only differences are passed on.
   * Cost. A turn ends after STEPS or LONGEST: then other coroutines run, and the rest gets another
   * turn. So a busy pipeline, or a task that requeues itself, starves nothing. A coroutine's write
   * costs a task and a turn, which is shared with all concurrent writers.
   *
   * Rejected. Turns on the trampoline, and writes on the stack of the calling coroutine: cheaper,
   * but incorrect, see above. ManualIoEventLoop: it also runs the handler, so a parked run() would
   * hold the driver. Keeping the loop alive while channels are open: a program that forgets one
   * would never end, whereas Heddle closes it.
   *
   * Sources. Decision 0030.
   */
  private static final int STEPS = 1_024; // in a turn
  private static final int STEPS_BETWEEN_LOOKS = 16; // reads of the clock
  private static final long LONGEST = 1_000_000; // ns; a fair share among many coroutines
  private static final int PART_OF_DEADLINE = 5; // the part of the deadline for orderly closes
  private static final long LONGEST_LAST_TURN = TimeUnit.SECONDS.toNanos(30); // tasks may requeue

  private enum Phase {
    OPEN,
    CLOSING,
    ENDED
  }

  private final NettyDriver driver;
  private final IoHandlerAdapter handler;
  private final ChannelTypes types;
  private final String home;
  private final EmbeddedHandles handles;
  private final EmbeddedView embeddedView = new EmbeddedView();
  private final Promise<?> end = new Termination(this);
  private final DaemonTimers daemonTimers = new DaemonTimers(this);

  // any thread
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

  // loop only
  private final EventLoopTurns turns;
  private @Nullable Registration closer;
  private int opening; // pending registrations

  // written at the forced end, read by any thread
  private volatile Thread own;

  private HeddleEventLoop(NettyDriver driver) {
    this.driver = driver;
    this.handler = driver.handler();
    this.types = driver.channelTypes();
    this.home = handler.carrier().getName();
    this.turns = EventLoopTurns.onCurrentLoop("netty", embeddedView);
    this.handles =
        new EmbeddedHandles(driver, turns.thread(), turns::requestFirst, this, turns::hasLoopEnded);
    this.own = turns.thread();
  }

  /// The event loop of the current loop, created at the first call; a new one if the last was shut
  /// down.
  ///
  /// @throws IllegalStateException outside a coroutine, or when the loop's driver is not one of
  ///   Netty's
  public static HeddleEventLoop current() {
    ReactorDriver driver = LoopDriver.current();
    if (!(driver instanceof NettyDriver netty)) {
      throw new IllegalStateException(
          ("the loop's driver %s is not one of Netty's; start the loop with one that is, by"
                  + " -Dheddle.driver or HeddleOptions.driver: auto, io_uring, epoll, kqueue, nio")
              .formatted(driver.name()));
    }
    if (netty.handler().embedded() instanceof EmbeddedView there) {
      return there.loop();
    }
    HeddleEventLoop made = new HeddleEventLoop(netty);
    made.closer = Heddle.onShutdown("Netty's channels on the loop", made::closeInTime);
    netty.handler().embed(made.embeddedView);
    return made;
  }

  // ---- channel types ----

  /// For `Bootstrap.channel`: TCP connections on the loop's driver.
  public Class<? extends SocketChannel> channelType() {
    return types.socket();
  }

  /// For `ServerBootstrap.channel`: TCP listeners on the loop's driver.
  public Class<? extends ServerSocketChannel> serverChannelType() {
    return types.server();
  }

  /// For `Bootstrap.channel`: UDP sockets on the loop's driver.
  public Class<? extends DatagramChannel> datagramChannelType() {
    return types.datagram();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return types.handle().isAssignableFrom(handleType);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> handlerType) {
    return types.handler().equals(handlerType);
  }

  // ---- a group of one ----

  @Override
  public IoEventLoop next() {
    return this;
  }

  @Override
  public @Nullable IoEventLoopGroup parent() {
    return null;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return thread == own;
  }

  // ---- channels ----

  @Override
  @SuppressWarnings("deprecation") // bootstraps call it
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  @SuppressWarnings("deprecation") // bootstraps call it
  public ChannelFuture register(ChannelPromise promise) {
    Channel channel = promise.channel();
    if (phase.get() != Phase.OPEN) {
      promise.setFailure(rejection()); // bootstraps then close the channel
      return promise;
    }
    ChannelPromise registered = promise.unvoid();
    channel.unsafe().register(this, registered); // fails when its task is rejected
    return registered;
  }

  @Override
  @SuppressWarnings("deprecation") // as old programs call it
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return register(promise);
  }

  /// Called for both ways of registration: by the event loop, or by a channel's `unsafe()`.
  @Override
  public Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> promise = newPromise();
    if (inEventLoop()) {
      register(handle, promise);
    } else {
      execute(() -> register(handle, promise));
    }
    return promise;
  }

  private void register(IoHandle handle, Promise<IoRegistration> promise) {
    if (phase.get() != Phase.OPEN) {
      promise.setFailure(rejection());
    } else if (!handler.isOpen()) {
      // opening takes locks: on the trampoline, so that no coroutine is parked in the middle of it
      opening++;
      handler.openNextTurn(
          failure -> handles.deliverInTurn(() -> opened(handle, promise, failure)));
    } else {
      registerNow(handle, promise);
    }
  }

  private void opened(
      IoHandle handle, Promise<IoRegistration> promise, @Nullable Throwable failure) {
    opening--;
    if (failure == null) {
      register(handle, promise);
    } else {
      promise.setFailure(failure);
    }
  }

  private void registerNow(IoHandle handle, Promise<IoRegistration> promise) {
    try {
      if (!isCompatible(handle.getClass())) {
        throw new IllegalArgumentException(
            "%s belongs to another transport than the loop's driver %s; use the channel types that"
                    .formatted(handle.getClass().getName(), driver.name())
                + " HeddleEventLoop names");
      }
      promise.setSuccess(handles.register(handle));
    } catch (Exception e) {
      promise.setFailure(e);
    }
  }

  // ---- tasks ----

  @Override
  public void execute(Runnable task) {
    if (!offer(Objects.requireNonNull(task, "task"))) {
      throw rejection();
    }
  }

  /// @return whether the task will run
  private boolean offer(Runnable task) {
    if (phase.get() == Phase.ENDED) {
      return false;
    }
    tasks.add(task);
    if (phase.get() == Phase.ENDED && tasks.remove(task)) {
      return false;
    }
    if (handler.isLoopThread(Thread.currentThread())) {
      turns.request();
    } else {
      handler.wakeup();
    }
    return true;
  }

  private RejectedExecutionException rejection() {
    String why = phase.get() == Phase.ENDED ? "has ended" : "is shutting down";
    return new RejectedExecutionException(
        this + " " + why + ": keep a coroutine waiting as long as it is needed");
  }

  private void takeTurn() {
    long begin = ticker().nanoTime();
    takeDue(begin);
    for (int step = 1; step <= STEPS && !turns.isLeftBehind() && takeStep(); step++) {
      if (step % STEPS_BETWEEN_LOOKS == 0) {
        long now = ticker().nanoTime();
        if (now - begin > LONGEST) {
          break;
        }
        takeDue(now);
      }
    }
    if (phase.get() == Phase.CLOSING && !turns.isLeftBehind() && isEmpty()) {
      finish();
    }
  }

  private boolean takeStep() {
    boolean delivered = handles.deliverNext();
    Runnable task = tasks.poll();
    if (task != null) {
      run(task);
    }
    return delivered || task != null;
  }

  private void takeDue(long now) {
    for (Runnable due = pollScheduledTask(now); due != null; due = pollScheduledTask(now)) {
      tasks.add(due);
    }
    for (Runnable due = daemonTimers.pollDue(now); due != null; due = daemonTimers.pollDue(now)) {
      tasks.add(due);
    }
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return DaemonTimers.takes(command)
        ? daemonTimers.schedule(command, delay, unit)
        : super.schedule(command, delay, unit);
  }

  /// When the next timer is due, from now; below zero: there is none.
  private long nextTimerNanos() {
    long counted = nextScheduledTaskNano();
    long quiet = daemonTimers.nextNanos();
    return counted < 0 || quiet < 0 ? Math.max(counted, quiet) : Math.min(counted, quiet);
  }

  private boolean isEmpty() {
    return opening == 0 && handles.isEmpty() && !handles.hasEvents() && tasks.isEmpty();
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // safe: the failure is logged
      AsyncLog.shared().warning("a task on a Netty event loop failed", e);
    }
  }

  // ---- shutdown ----

  /// Closes every channel, runs the queued tasks, drops the scheduled ones, and ends. Ignores the
  /// quiet period: only the loop's own code adds work.
  ///
  /// @param timeout after which remaining channels are closed by force
  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    if (phase.compareAndSet(Phase.OPEN, Phase.CLOSING)) {
      var _ = offer(() -> closeChannels(timeout, unit)); // otherwise a turn has ended it meanwhile
    }
    return end;
  }

  @Override
  @SuppressWarnings("deprecation") // as old programs call it
  public void shutdown() {
    var _ = shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  private void closeChannels(long timeout, TimeUnit unit) {
    handles.close();
    if (!handles.isEmpty()) {
      var _ = schedule(handles::closeByForce, timeout, unit);
    }
  }

  /// Called at the loop's end: leaves enough time for a forced close before the loop's deadline.
  private void closeInTime() {
    if (turns.isInExit()) {
      return; // a handler called System.exit, which waits for the loop: no further turn runs
    }
    long limit = TimeUnit.NANOSECONDS.convert(partOfDeadline());
    NettyFutures.await(shutdownGracefully(0, limit, TimeUnit.NANOSECONDS));
  }

  private Duration partOfDeadline() {
    return turns.shutdownDeadline().dividedBy(PART_OF_DEADLINE);
  }

  private void finish() {
    phase.set(Phase.ENDED);
    cancelScheduledTasks();
    daemonTimers.drop();
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      run(task); // added while the phase was written
    }
    handler.unembed(embeddedView);
    if (closer != null && !turns.hasLoopEnded()) {
      closer.close();
    }
    end.trySuccess(null);
  }

  @Override
  public Future<?> terminationFuture() {
    return end;
  }

  @Override
  public boolean isShuttingDown() {
    return phase.get() != Phase.OPEN;
  }

  @Override
  public boolean isShutdown() {
    return phase.get() == Phase.ENDED;
  }

  @Override
  public boolean isTerminated() {
    return end.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return end.await(timeout, unit);
  }

  @Override
  public String toString() {
    return "the event loop on the Heddle loop of thread '" + home + "' (" + driver.name() + ")";
  }

  /// The event loop as the driver's handler and the turns see it.
  private final class EmbeddedView implements EmbeddedEventLoop, HostedEventLoop {
    HeddleEventLoop loop() {
      return HeddleEventLoop.this;
    }

    @Override
    public boolean requestTurn() {
      if (turns.isActive() || !hasWork()) {
        return false;
      }
      turns.request();
      return true;
    }

    @Override
    public long deadlineNanos() {
      if (turns.isActive()) {
        return ReactorDriver.NO_DEADLINE; // the turn checks the timers when it continues
      }
      long in = nextTimerNanos();
      long now = System.nanoTime();
      long at = now + in; // may overflow: Netty's maximum is Long.MAX_VALUE
      return in < 0 || at < now ? ReactorDriver.NO_DEADLINE : at;
    }

    @Override
    public boolean hasTasks() {
      return !turns.isActive() && !tasks.isEmpty();
    }

    @Override
    public boolean isArmed() {
      // a running turn is a coroutine, which counts itself; the rest waits for it
      return !turns.isActive()
          && (hasWork() || opening > 0 || !handles.isEmpty() || nextScheduledTaskNano() >= 0);
    }

    @Override
    public boolean hasUndelivered() {
      return turns.isQueued() && handles.wouldRepeat();
    }

    @Override
    public void abandon() {
      var _ = phase.compareAndSet(Phase.OPEN, Phase.CLOSING); // an abandoned turn may be ending it
      handles.abandon();
    }

    @Override
    public void takeTurn() {
      HeddleEventLoop.this.takeTurn();
    }

    @Override
    public boolean hasWork() {
      return handles.hasEvents() || !tasks.isEmpty() || nextTimerNanos() == 0;
    }

    @Override
    public boolean isOver() {
      return isShutdown();
    }

    // Netty caches buffers in thread locals if it knows that they are cleaned up
    @Override
    public void frame(Runnable turns) {
      FastThreadLocalThread.runWithFastThreadLocal(() -> {
        ThreadExecutorMap.setCurrentExecutor(HeddleEventLoop.this);
        turns.run();
      });
    }

    @Override
    public void end() {
      Runnable turn = () -> frame(HeddleEventLoop.this::endByForce);
      String me = HeddleEventLoop.this.toString();
      Runnable last = new LastTurn(me, turns, turn, partOfDeadline());
      try {
        handles.releaseDescriptors(turns.leftBehind() != null, last);
      } catch (Throwable e) {
        end.tryFailure(e); // no thread could be started to notify the pipelines
        throw e;
      }
    }
  }

  private void endByForce() {
    own = Thread.currentThread();
    handles.takeLastTurn();
    handles.closeByForce();
    long begin = System.nanoTime();
    do {
      takeTurn();
    } while (embeddedView.hasWork() && System.nanoTime() - begin < LONGEST_LAST_TURN);
    if (!handles.isEmpty()) {
      AsyncLog.shared().warning(this + " has ended with channels that did not close", null);
    }
    if (phase.get() != Phase.ENDED) {
      finish();
    }
  }
}
