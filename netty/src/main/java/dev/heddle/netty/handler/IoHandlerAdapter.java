// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One of Netty's I/O handlers without Netty's event loop: it waits when its loop does. Until
/// something is registered it merely parks the carrier, so a loop without I/O has no descriptors of
/// its own.
public final class IoHandlerAdapter {
  /*
   * Sleep. A handler does not remember a wake-up that finds it awake: Netty's loops check their
   * tasks again after they have said that they sleep, by canBlock(). Ours check `woken`.
   *
   *   any thread  woken = true, by an exchange; the thread that changed it calls wakeup()
   *   carrier     the handler says that it sleeps, then asks canBlock(), which reads woken
   *
   * Either the carrier reads true, or the handler's wakeup() finds it asleep (both use volatile
   * accesses: Dekker). The carrier clears the flag after a turn that might have waited, by an
   * exchange too, so that it sees what the waker published before. Netty ignores a wake-up by the
   * loop's own thread; the flag keeps it.
   *
   * The handler is opened inside a turn, when the carrier may already count as asleep: that turn
   * does not wait, so a wake-up that has unparked a carrier that would now poll is not lost.
   *
   * Nothing that can wait runs on the trampoline. In a turn, the trampoline runs: the handler's own
   * tasks (they end registrations), first; the driver's handles, which wake coroutines; and
   * stand-ins for the guest's handles (EmbeddedHandle), which queue what comes. The guest's
   * handlers and tasks may be any code, and log, allocate and lock: they run in a coroutine, see
   * EventLoopTurns. [WaitsTest] A turn in which anything ran, or that has asked for the guest's
   * turn, does not wait.
   *
   * The guest's coroutine calls the handler, too: it registers, submits and cancels. The handler
   * takes no lock there, so that coroutine is not parked inside such a call, and no turn meets a
   * handler half changed.
   *
   * A guest that is behind. By level, a poll finds again all that the guest has not come to, and
   * pays for each. So while a turn of the guest's is about to come, and still has events of the
   * last poll, and no listener waits for a descriptor of the driver's own, there is no poll: for
   * MAX_WITHOUT_POLL at most. A guest whose turn is parked delays no poll.
   *
   * The end. The guest ends what the system does for it, the handler takes what still completes and
   * goes, and then the guest ends, on a thread beside: no coroutine can run any more, and what runs
   * there may wait. Each of the three happens, whatever the others fail with.
   */
  private static final long MAX_WITHOUT_POLL = 10_000_000; // nanoseconds
  private static final VarHandle WOKEN;

  static {
    try {
      WOKEN = MethodHandles.lookup().findVarHandle(IoHandlerAdapter.class, "woken", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Thread carrier;
  private final IoHandlerFactory factory;
  private final Loop loop;
  private final LongSupplier clock;
  private final Turn turn = new Turn();
  private boolean wouldWait; // the turn under way would, if nothing were ready
  private boolean waitsForEmbedded;
  private long waitsSince;

  // any thread
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean woken;

  // written by the carrier, read by any thread
  private volatile @Nullable IoHandler handler;

  // loop only
  private @Nullable EmbeddedEventLoop embeddedEventLoop;

  /// A handler for a loop.
  public IoHandlerAdapter(DriverHost host, IoHandlerFactory factory) {
    this(host, factory, System::nanoTime);
  }

  /// With a clock of the test's.
  IoHandlerAdapter(DriverHost host, IoHandlerFactory factory, LongSupplier clock) {
    this.carrier = host.carrier();
    this.factory = factory;
    this.loop = new Loop(host);
    this.clock = clock;
  }

  /// The handler, for what is to be registered. In a turn only: opening it takes locks.
  public IoHandler open() {
    IoHandler h = handler;
    if (h == null) {
      h = factory.newHandler(loop);
      h.initialize();
      handler = h;
    }
    return h;
  }

  /// Opens it in the next turn, then calls `opened` there, with what it has failed with or null. By
  /// the loop's thread.
  public void openNextTurn(Consumer<@Nullable Throwable> opened) {
    loop.execute(() -> {
      Throwable failure = null;
      try {
        open();
      } catch (Throwable e) {
        failure = e;
      }
      opened.accept(failure);
    });
  }

  /// Whether something was ever registered.
  public boolean isOpen() {
    return handler != null;
  }

  /// Whether a look could bring something, beside what the driver has registered.
  public boolean isArmed() {
    return !tasks.isEmpty() || hasEmbeddedEventLoop();
  }

  /// Whether something may come of a guest.
  public boolean hasEmbeddedEventLoop() {
    EmbeddedEventLoop g = embeddedEventLoop;
    return g != null && g.isArmed();
  }

  /// The event loop that lives here, beside the driver.
  public @Nullable EmbeddedEventLoop embedded() {
    return embeddedEventLoop;
  }

  /// Lets another event loop live here.
  public void embed(EmbeddedEventLoop other) {
    embeddedEventLoop = other;
  }

  /// It lives here no more.
  public void unembed(EmbeddedEventLoop other) {
    if (embeddedEventLoop == other) {
      embeddedEventLoop = null;
    }
  }

  /// The thread on which turns run.
  public Thread carrier() {
    return carrier;
  }

  /// Whether `thread`, which asks about itself, is the carrier, or a coroutine mounted on it.
  /// **Thread** any.
  public boolean isLoopThread(Thread thread) {
    return loop.isExecutorThread(thread);
  }

  /// Whether the turn that delivers waits when nothing is there to be delivered. In a turn.
  boolean wouldBlock() {
    return wouldWait;
  }

  /// Runs the tasks, delivers what has completed, waiting for it until `deadlineNanos` or a
  /// wake-up.
  public void turn(long deadlineNanos) {
    long until = runTasks() ? ReactorDriver.NO_WAIT : deadlineNanos;
    EmbeddedEventLoop g = embeddedEventLoop;
    if (g != null) {
      until = g.requestTurn() ? ReactorDriver.NO_WAIT : Math.min(until, g.deadlineNanos());
    }
    IoHandler h = handler;
    if (h == null) {
      park(until);
      return;
    }
    if (g != null && isFirst(g)) {
      return;
    }
    turn.deadlineNanos = until;
    wouldWait = until != ReactorDriver.NO_WAIT;
    h.run(turn);
    if (until != ReactorDriver.NO_WAIT && woken) {
      WOKEN.getAndSet(this, false);
    }
  }

  /// Whether the guest is to hand on the last look's rest before there is another look.
  private boolean isFirst(EmbeddedEventLoop g) {
    if (!g.hasUndelivered()) {
      waitsForEmbedded = false;
    } else if (!waitsForEmbedded) {
      waitsForEmbedded = true;
      waitsSince = clock.getAsLong();
    } else {
      waitsForEmbedded = clock.getAsLong() - waitsSince < MAX_WITHOUT_POLL;
    }
    return waitsForEmbedded;
  }

  private boolean runTasks() {
    boolean any = false;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      any = true;
      task.run();
    }
    return any;
  }

  private void park(long deadlineNanos) {
    if (deadlineNanos == ReactorDriver.NO_DEADLINE) {
      LockSupport.park(this);
    } else if (deadlineNanos != ReactorDriver.NO_WAIT) {
      LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
    }
  }

  /// Ends the current wait, or the next one. Any thread.
  public void wakeup() {
    IoHandler h = handler;
    if (h == null) {
      LockSupport.unpark(carrier);
    } else if (!(boolean) WOKEN.getAndSet(this, true)) {
      h.wakeup();
    }
  }

  /// Releases the handler; nothing is registered any more.
  public void close() {
    EmbeddedEventLoop g = embeddedEventLoop;
    embeddedEventLoop = null;
    if (g == null) {
      closeHandler();
      return;
    }
    try {
      runTasks(); // what the guest has asked for is with the handler before its end is asked for
      g.abandon();
    } finally {
      try {
        closeHandler();
      } finally {
        g.end();
      }
    }
  }

  private void closeHandler() {
    IoHandler h = handler;
    if (h != null) {
      WOKEN.getAndSet(this, true); // no wake-up calls it any more
      try {
        h.prepareToDestroy();
      } finally {
        h.destroy();
      }
    }
  }

  /// The loop, as Netty sees it.
  private final class Loop implements ThreadAwareExecutor {
    private final DriverHost host;

    Loop(DriverHost host) {
      this.host = host;
    }

    @Override
    public boolean isExecutorThread(Thread thread) {
      return host.isLoopThread(thread);
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
      wakeup();
    }
  }

  /// What a handler asks about a turn.
  private final class Turn implements IoHandlerContext {
    private static final long NEVER = -1;

    private long deadlineNanos;

    @Override
    public boolean canBlock() {
      return deadlineNanos != ReactorDriver.NO_WAIT
          && !woken
          && tasks.isEmpty()
          && !hasGuestTasks();
    }

    private boolean hasGuestTasks() {
      EmbeddedEventLoop g = embeddedEventLoop;
      return g != null && g.hasTasks();
    }

    @Override
    public long deadlineNanos() {
      if (deadlineNanos == ReactorDriver.NO_DEADLINE) {
        return NEVER;
      }
      return deadlineNanos == NEVER ? NEVER + 1 : deadlineNanos;
    }

    @Override
    public long delayNanos(long nowNanos) {
      return deadlineNanos == ReactorDriver.NO_DEADLINE
          ? Long.MAX_VALUE // what it takes for never
          : Math.max(0, deadlineNanos - nowNanos);
    }
  }
}
