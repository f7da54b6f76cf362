// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import dev.heddle.Heddle;
import dev.heddle.Registration;
import dev.heddle.io.LoopDriver;
import dev.heddle.netty.handler.ChannelTypes;
import dev.heddle.netty.handler.DrivenHandler;
import dev.heddle.netty.handler.Guest;
import dev.heddle.netty.handler.NettyDriver;
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
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A loop of Heddle's as an event loop of Netty's: ordinary pipelines run on its thread, beside the
/// coroutines.
///
/// {@snippet class=dev.heddle.netty.NettySnippetsTest region=server}
///
/// It stands for a group of one, in `ServerBootstrap` and `Bootstrap`. [#serverChannelType()] and
/// its like name the channels that go with the loop's driver. `inEventLoop()` is true on the loop's
/// thread and in its coroutines: what these write goes out at once, without a task.
///
/// **Handlers** run between coroutines, on the loop's own thread, and so do tasks: nothing may wait
/// there, and nothing else runs meanwhile. What has to wait is a coroutine's: take a
/// [dev.heddle.coroutine.Scope] along and spawn in it. Outbound handlers run where the write is
/// called, in a coroutine, too: they must not wait either. What a handler or a task throws goes the
/// way Netty knows, and the loop goes on.
///
/// **Waiting** in a coroutine is [NettyFutures#await(Future)]'s. Netty's own `sync()` and `await()`
/// there throw a [io.netty.util.concurrent.BlockingOperationException].
///
/// **Life** Channels, tasks and timers do not keep the loop alive, as a listener of Heddle's does
/// not: a coroutine that waits for one does. While there are any, the loop is not taken for
/// deadlocked. When its coroutines have ended, the loop closes what is open here, as
/// [#shutdownGracefully()] does; what comes later is rejected.
///
/// **Thread** any, but for [#current()].
///
/// @since 0.1
public final class HeddleEventLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
  /*
   * States.  from      event                            to        who, order
   *          OPEN      shutdownGracefully(), loop ends  CLOSING   any thread: CAS; who has changed it queues the closing of the channels
   *          CLOSING   a turn leaves no channel, task   ENDED     carrier: set, then the future completes
   *          OPEN, CLOSING   the driver closes          ENDED     carrier: channels are closed by force first
   *
   * Threads. Registered with the handler, and run, by the carrier alone, in turns: opening a handler takes locks, and handlers are anybody's
   * code (fact 8 of the design). A coroutine that registers a channel therefore has to wait for the future; what it writes goes out on its
   * own stack, through code of Netty's that takes no lock.
   *
   * Memory order. offer() adds the task, then reads the phase; the carrier writes ENDED, then takes what is left. So a task is run, or found
   * by its own thread and rejected. The wake-up is DrivenHandler's.
   *
   * Time. Netty's ticker does not count from where System.nanoTime() does; only differences pass.
   *
   * Cost. A turn runs at most TASKS of them, so a task that queues itself anew does not keep coroutines from running.
   *
   * Rejected. ManualIoEventLoop: its inEventLoop(), final, says no in a coroutine, and each write becomes a task. To keep the loop alive
   * while channels are open: who forgets one would wait for ever, where Heddle ends and closes it.
   *
   * Sources. REACTOR 2, 12.
   */
  private static final int TASKS = 1_024; // in a turn
  private static final System.Logger LOG = System.getLogger("dev.heddle");

  /// How far it has come.
  private enum Phase {
    OPEN,
    CLOSING,
    ENDED
  }

  private final NettyDriver driver;
  private final DrivenHandler handler;
  private final ChannelTypes types;
  private final String home;
  private final AsGuest guest = new AsGuest();
  private final Promise<?> end = new End();

  // any thread
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

  // loop only
  private final Set<Channel> channels = Collections.newSetFromMap(new IdentityHashMap<>());
  private @Nullable Registration closer;
  private @Nullable EventExecutor before; // known to Netty as the carrier's
  private boolean known;

  private HeddleEventLoop(NettyDriver driver) {
    this.driver = driver;
    this.handler = driver.handler();
    this.types = driver.channelTypes();
    this.home = handler.carrier().getName();
  }

  /// The event loop on the current loop, made at the first call; a new one after the last was shut
  /// down.
  ///
  /// @throws IllegalStateException outside a coroutine, or when the loop's driver has no Netty in
  ///   it
  public static HeddleEventLoop current() {
    ReactorDriver driver = LoopDriver.current();
    if (!(driver instanceof NettyDriver netty)) {
      throw new IllegalStateException(
          "the loop's driver "
              + driver.name()
              + " has no Netty in it; start the loop with one that has, by -Dheddle.driver or"
              + " HeddleOptions.driver: auto, io_uring, epoll, kqueue, nio");
    }
    if (netty.handler().guest() instanceof AsGuest there) {
      return there.loop();
    }
    HeddleEventLoop made = new HeddleEventLoop(netty);
    made.closer =
        Heddle.onShutdown(
            "Netty's channels on the loop", () -> NettyFutures.await(made.shutdownGracefully()));
    netty.handler().host(made.guest);
    return made;
  }

  // ---- which channels go with it ----

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
    return handler.isLoopThread(thread);
  }

  private boolean isBetweenCoroutines() {
    return Thread.currentThread() == handler.carrier();
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
      promise.setFailure(rejection());
      channel.unsafe().closeForcibly();
      return promise;
    }
    ChannelPromise registered = promise.unvoid();
    registered.addListener(f -> {
      if (f.isSuccess()) {
        onLoop(() -> admit(channel));
      }
    });
    channel.unsafe().register(this, registered); // fails it when its task is rejected
    return registered;
  }

  @Override
  @SuppressWarnings("deprecation") // as old programs call it
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return register(promise);
  }

  /// In the task that has registered it: the tasks keep the loop from ending before.
  private void admit(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(_ -> onLoop(() -> channels.remove(channel)));
    if (phase.get() != Phase.OPEN) {
      close(channel); // closeChannels() has not seen it
    }
  }

  /// Now, or in a task: a channel may have moved to another event loop, its promise be another's.
  private void onLoop(Runnable task) {
    if (inEventLoop()) {
      task.run();
    } else {
      var _ = offer(task); // else nothing is left to keep
    }
  }

  @Override
  public Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> promise = newPromise();
    if (isBetweenCoroutines()) {
      register(handle, promise);
    } else {
      execute(() -> register(handle, promise));
    }
    return promise;
  }

  private void register(IoHandle handle, Promise<IoRegistration> promise) {
    try {
      promise.setSuccess(handler.open().register(handle));
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

  /// @return whether it will be run
  private boolean offer(Runnable task) {
    if (phase.get() == Phase.ENDED) {
      return false;
    }
    tasks.add(task);
    if (phase.get() == Phase.ENDED && tasks.remove(task)) {
      return false;
    }
    if (!inEventLoop()) {
      handler.wakeup();
    }
    return true;
  }

  private RejectedExecutionException rejection() {
    return new RejectedExecutionException(
        "the event loop on the Heddle loop of thread '"
            + home
            + "' "
            + (phase.get() == Phase.ENDED ? "has ended" : "is shutting down")
            + ": keep a coroutine waiting as long as it is needed");
  }

  private boolean runTasks() {
    int ran = 0;
    for (Runnable due = pollScheduledTask(); due != null; due = pollScheduledTask()) {
      tasks.add(due);
    }
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      run(task);
      if (++ran == TASKS) {
        break;
      }
    }
    return ran > 0;
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // safe: the task was nobody's, so nobody else is to be told
      LOG.log(System.Logger.Level.WARNING, "a task on a Netty event loop failed", e);
    }
  }

  // ---- the end ----

  /// Closes every channel, runs the tasks that are left, drops those scheduled for later, and ends.
  /// Does not wait for a quiet period: nobody but the loop's own code brings work.
  ///
  /// @param timeout after which channels that do not close are closed by force
  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    if (phase.compareAndSet(Phase.OPEN, Phase.CLOSING)) {
      var _ = offer(() -> closeChannels(timeout, unit)); // else a turn has ended it meanwhile
    }
    return end;
  }

  @Override
  @SuppressWarnings("deprecation") // as old programs call it
  public void shutdown() {
    var _ = shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  private void closeChannels(long timeout, TimeUnit unit) {
    List.copyOf(channels).forEach(Channel::close);
    if (!channels.isEmpty()) {
      var _ = schedule(this::closeByForce, timeout, unit);
    }
  }

  private void closeByForce() {
    List.copyOf(channels).forEach(HeddleEventLoop::close);
  }

  /// Past the handlers, who may keep a close() to themselves.
  private static void close(Channel channel) {
    channel.unsafe().close(channel.voidPromise());
  }

  private void finish() {
    phase.set(Phase.ENDED);
    cancelScheduledTasks();
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      run(task); // came while the phase was written
    }
    handler.host(null);
    if (known) {
      ThreadExecutorMap.setCurrentExecutor(before);
    }
    if (closer != null) {
      closer.close();
    }
    end.setSuccess(null);
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

  /// Tells whoever waits at once, on whichever thread.
  private final class End extends DefaultPromise<Void> {
    End() {
      super(ImmediateEventExecutor.INSTANCE);
    }

    // that executor takes every thread for its own
    @Override
    protected void checkDeadLock() {
      if (inEventLoop()) {
        throw new BlockingOperationException(
            "the end of " + HeddleEventLoop.this + " is waited for on it: use NettyFutures.await");
      }
    }
  }

  /// What the driver's handler sees.
  private final class AsGuest implements Guest {
    HeddleEventLoop loop() {
      return HeddleEventLoop.this;
    }

    @Override
    public boolean run() {
      if (!known) {
        known = true;
        before = ThreadExecutorMap.setCurrentExecutor(HeddleEventLoop.this);
      }
      boolean ran = runTasks();
      if (phase.get() == Phase.CLOSING && channels.isEmpty() && tasks.isEmpty()) {
        finish();
        return true;
      }
      return ran;
    }

    @Override
    public long deadlineNanos() {
      long in = nextScheduledTaskNano();
      long now = System.nanoTime();
      long at = now + in;
      return in < 0 || at < now ? ReactorDriver.FOREVER : at; // Netty's longest is Long.MAX_VALUE
    }

    @Override
    public boolean hasTasks() {
      return !tasks.isEmpty();
    }

    @Override
    public boolean isArmed() {
      return hasTasks() || !channels.isEmpty() || nextScheduledTaskNano() >= 0;
    }

    @Override
    public void end() {
      phase.set(Phase.CLOSING);
      closeByForce();
      runTasks();
      finish();
    }
  }
}
