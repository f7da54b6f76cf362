// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Runs a Netty I/O handler in a loop's polls, without Netty's event loop. Until something is
/// registered it merely parks the carrier, so a loop without I/O has no descriptors.
public final class IoHandlerAdapter {
  /*
   * Sleep. A handler ignores a wake-up while it is awake: Netty's loops recheck their tasks by
   * canBlock() after the handler has announced its sleep. This class rechecks `woken` there.
   *
   *   any thread  woken = true, by an exchange; the thread that changed it calls wakeup()
   *   carrier     the handler says that it sleeps, then asks canBlock(), which reads woken
   *
   * Either the carrier reads true, or the handler's wakeup() finds it asleep (both use volatile
   * accesses: Dekker). The carrier clears the flag after a turn that might have blocked, also by an
   * exchange, so that it sees what the waker published before. Netty ignores a wake-up by the
   * loop's own thread; the flag keeps it.
   *
   * The handler is opened inside a turn, when the carrier may already count as asleep: that turn
   * does not block, so a wake-up that unparked the carrier before it polls is not lost.
   *
   * No code that can wait runs on the trampoline. In a turn, the trampoline runs the handler's own
   * tasks (they end registrations), first; the driver's handles, which wake coroutines; and the
   * wrappers of embedded handles (EmbeddedHandle), which queue events. Handlers and tasks of the
   * embedded event loop are arbitrary code that logs, allocates and locks: they run in a coroutine,
   * see EventLoopTurns. [WaitsTest] A turn that ran anything, or requested a turn of the embedded
   * event loop, does not block.
   *
   * The embedded event loop's coroutine calls the handler, too: it registers, submits and cancels.
   * The handler takes no lock there, so the coroutine is never parked inside such a call, and no
   * turn finds the handler half changed.
   *
   * A slow embedded event loop. A level-triggered poll reports all undelivered events again, at a
   * cost for each. So there is no poll while a turn of the embedded event loop is due, still has
   * events of the last poll, and no listener waits for a descriptor of the driver: for
   * MAX_WITHOUT_POLL at most. A parked turn delays no poll.
   *
   * The end. The embedded event loop ends its operations in the system; the handler takes the last
   * completions and closes; then the embedded event loop ends, on its own thread (HeddleEventLoop).
   * Each of the three steps happens even if the others fail.
   */
  private static final long MAX_WITHOUT_POLL = 10_000_000; // nanoseconds
  private static final VarHandle WOKEN = VarHandles.find(lookup(), "woken", boolean.class);

  private final Thread carrier;
  private final IoHandlerFactory factory;
  private final Loop loop;
  private final LongSupplier clock;
  private final Turn turn = new Turn();
  private boolean wouldWait; // the current turn would block if nothing were ready
  private boolean waitsForEmbedded;
  private long waitsSince;

  // any thread
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean woken;

  // written by the carrier, read by any thread
  private volatile @Nullable IoHandler handler;

  // loop only
  private @Nullable EmbeddedEventLoop embeddedEventLoop;

  public IoHandlerAdapter(DriverHost host, IoHandlerFactory factory) {
    this(host, factory, System::nanoTime);
  }

  IoHandlerAdapter(DriverHost host, IoHandlerFactory factory, LongSupplier clock) {
    this.carrier = host.carrier();
    this.factory = factory;
    this.loop = new Loop(host);
    this.clock = clock;
  }

  /// Opens the handler if necessary. In a turn only, because opening takes locks.
  public IoHandler open() {
    IoHandler h = handler;
    if (h == null) {
      h = factory.newHandler(loop);
      h.initialize();
      handler = h;
    }
    return h;
  }

  /// Opens the handler in the next turn, then calls `opened` there with the failure or null. Called
  /// on the loop's thread.
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

  public boolean isOpen() {
    return handler != null;
  }

  /// Registers a handle; `refusal` is the message if the system has no room for another one.
  public static IoRegistration register(IoHandler handler, IoHandle handle, String refusal)
      throws IOException {
    try {
      return handler.register(handle);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(refusal, e);
    }
  }

  /// Whether a poll could report anything besides the driver's own registrations.
  public boolean isArmed() {
    return !tasks.isEmpty() || hasEmbeddedEventLoop();
  }

  /// Whether an embedded event loop is active.
  public boolean hasEmbeddedEventLoop() {
    EmbeddedEventLoop g = embeddedEventLoop;
    return g != null && g.isArmed();
  }

  public @Nullable EmbeddedEventLoop embedded() {
    return embeddedEventLoop;
  }

  public void embed(EmbeddedEventLoop other) {
    embeddedEventLoop = other;
  }

  public void unembed(EmbeddedEventLoop other) {
    if (embeddedEventLoop == other) {
      embeddedEventLoop = null;
    }
  }

  public Thread carrier() {
    return carrier;
  }

  /// Whether the current thread, `thread`, is the carrier or a coroutine mounted on it. **Thread**
  /// any.
  public boolean isLoopThread(Thread thread) {
    return loop.isExecutorThread(thread);
  }

  /// Whether the current turn blocks if nothing is ready. In a turn.
  boolean wouldBlock() {
    return wouldWait;
  }

  /// Runs the tasks and delivers completions, waiting for them until `deadlineNanos` or a wake-up.
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

  /// Whether the embedded event loop must deliver the rest of the last poll before another poll.
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

  /// Closes the handler; nothing is registered any more.
  public void close() {
    EmbeddedEventLoop g = embeddedEventLoop;
    embeddedEventLoop = null;
    if (g == null) {
      closeHandler();
      return;
    }
    try {
      runTasks(); // requests of the embedded event loop reach the handler before its close
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
      WOKEN.getAndSet(this, true); // later wake-ups do not call the handler
      try {
        h.prepareToDestroy();
      } finally {
        h.destroy();
      }
    }
  }

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

  /// Answers a handler's questions about a turn.
  private final class Turn implements IoHandlerContext {
    private static final long NEVER = -1;

    private long deadlineNanos;

    @Override
    public boolean canBlock() {
      EmbeddedEventLoop g = embeddedEventLoop;
      return deadlineNanos != ReactorDriver.NO_WAIT
          && !woken
          && tasks.isEmpty()
          && (g == null || !g.hasTasks());
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
          ? Long.MAX_VALUE // the handler's value for never
          : Math.max(0, deadlineNanos - nowNanos);
    }
  }
}
