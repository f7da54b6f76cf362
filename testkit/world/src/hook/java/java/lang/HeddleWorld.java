// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.net.InetAddress;
import java.net.SocketImpl;
import java.net.UnknownHostException;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import jdk.internal.vm.ThreadContainers;

/// A world as the hook sees it: what the hook keeps for it, and the questions that it answers. The
/// agent's own subclass passes them to `dev.heddle.world.World`, which documents them; java.base
/// cannot name that class.
public abstract class HeddleWorld {
  // Threads made in a world have ids of this form, so that the unblocker can tell whose they are.
  private static final int NUMBER_BITS = 32; // n of a world; the bits above are the world's serial

  private static final int STARTED_LIMIT = 1_024;

  private static final Map<Long, HeddleWorld> OPEN = new ConcurrentHashMap<>(); // by serial

  private static long lastSerial; // guarded by OPEN

  final HeddleMonitors monitors = new HeddleMonitors();
  private final long serial;

  // written by the first carrier, before its loop
  private boolean hasSalt;
  long salt; // of immutable collections

  // any thread
  private final Map<Long, Thread> bodies = new ConcurrentHashMap<>(); // by the face's id
  private final Map<Long, Thread> faces = new ConcurrentHashMap<>(); // by the body's id

  // carriers only, of which one runs at a time
  private final Map<String, Integer> counts = new HashMap<>();
  private final Map<Thread, Integer> outside = new HashMap<>(); // of threads that are not mounted
  private long lastThread;
  private ForkJoinPool commonPool;
  private final List<Thread> started = new ArrayList<>(); // virtual ones; some have ended
  long stallNanos; // of the thread that yields now; see HeddlePoints
  private int startedLimit = STARTED_LIMIT; // as many make a search for ended ones worth while

  protected HeddleWorld() {
    synchronized (OPEN) {
      serial = ++lastSerial;
    }
  }

  // ---- which world ----

  /// The world of the current code, or null.
  public static HeddleWorld current() {
    return Thread.currentCarrierThread() instanceof HeddleCarrier carrier && carrier.outside == 0
        ? carrier.world
        : null;
  }

  /// The open world in which `thread` was made, or null.
  static HeddleWorld of(Thread thread) {
    long serial = thread.threadId() >>> NUMBER_BITS;
    return serial == 0 ? null : OPEN.get(serial);
  }

  /// The open world that has adopted `face`, or null.
  static HeddleWorld ofFace(Thread face) {
    if (OPEN.isEmpty()) {
      return null;
    }
    HeddleWorld home = of(face);
    if (home != null) {
      return home;
    }
    // made before the world, started in it
    for (HeddleWorld world : OPEN.values()) {
      if (world.bodies.containsKey(face.threadId())) {
        return world;
      }
    }
    return null;
  }

  // ---- life ----

  /// From now on the threads of this world are told from those of others.
  public final void open() {
    OPEN.put(serial, this);
  }

  /// Afterwards the JVM keeps no thread of this world reachable.
  public final void close() {
    OPEN.remove(serial);
    started.forEach(HeddleWorld::forget);
    started.clear();
  }

  final void onStarting(Thread virtual) {
    if (started.size() == startedLimit) {
      started.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
      startedLimit = Math.max(STARTED_LIMIT, 2 * started.size());
    }
    started.add(virtual);
    HeddleChance.seedThread(virtual, nextRandom("thread"));
    onStart(virtual);
  }

  final void onCarrier(HeddleCarrier carrier) {
    if (!hasSalt) {
      hasSalt = true;
      salt = nextRandom("Set.of");
    }
    HeddleChance.seedThread(carrier, nextRandom("thread"));
    HeddleHashCodes.seed(nextRandom("hashCode"));
  }

  // ---- turns; called by the loop on a carrier ----

  /// Before `next` is mounted on the current thread.
  public final void beginTurn(Thread next, long seed) {
    HeddleHashCodes.seed(seed);
    Integer depth = outside.isEmpty() ? null : outside.remove(next);
    if (depth != null) {
      HeddleCarrier carrier = (HeddleCarrier) Thread.currentThread();
      carrier.hashes.take(); // it comes back to these when it is inside again
      carrier.outside = depth;
    }
  }

  /// After `last` has left the current thread.
  public final void endTurn(Thread last) {
    HeddleCarrier carrier = (HeddleCarrier) Thread.currentThread();
    if (carrier.outside > 0) {
      outside.put(last, carrier.outside);
      carrier.outside = 0;
    }
    monitors.left(last);
  }

  /// Whether a thread that has left the carrier may be given a monitor.
  public final boolean hasMonitorWaiters() {
    return monitors.hasWaiters();
  }

  public final void awaitUnblocker() {
    monitors.await();
  }

  public static boolean isUnblocker() {
    return HeddleMonitors.isUnblocker();
  }

  /// Lets `virtual` return from `park` or `Object.wait` for no reason.
  ///
  /// @return false when it waits in neither
  public static boolean wakeForNoReason(Thread virtual) {
    int state = HeddleInternals.state(virtual);
    if (state == HeddleInternals.PARKED || state == HeddleInternals.TIMED_PARKED) {
      ((VirtualThread) virtual).unpark();
      return true;
    }
    boolean waits = state == HeddleInternals.WAIT || state == HeddleInternals.TIMED_WAIT;
    if (waits && HeddleInternals.casState(virtual, state, HeddleInternals.UNBLOCKED)) {
      HeddleInternals.submit(virtual);
      return true;
    }
    return false;
  }

  /// Lets the JVM forget a virtual thread that will never go on.
  public static void forget(Thread virtual) {
    // those of other containers are reachable from their owner only
    if (virtual.threadContainer() == ThreadContainers.root()) {
      ThreadContainers.root().remove(virtual);
    }
  }

  // ---- threads ----

  final void enter(Thread face, Thread body) {
    bodies.put(face.threadId(), body);
    faces.put(body.threadId(), face);
  }

  final void leave(Thread face) {
    Thread body = bodies.remove(face.threadId());
    if (body != null) {
      faces.remove(body.threadId());
    }
  }

  /// @return null when `face` is not adopted, or has ended
  public final Thread bodyOf(Thread face) {
    return bodies.get(face.threadId());
  }

  /// @return `body` itself when it is the body of no other thread
  public final Thread faceOf(Thread body) {
    Thread face = faces.get(body.threadId());
    return face == null ? body : face;
  }

  final long nextThreadId() {
    return serial << NUMBER_BITS | ++lastThread;
  }

  /// How often `use` was counted before.
  final int count(String use) {
    return counts.merge(use, 1, Integer::sum) - 1;
  }

  final ForkJoinPool commonPool() {
    if (commonPool == null) {
      commonPool = new ForkJoinPool(Math.max(1, processors() - 1)); // as the JDK's own
    }
    return commonPool;
  }

  // ---- answers of the simulation; see dev.heddle.world.World ----

  protected abstract long nanoTime();

  protected abstract long epochNanos();

  protected abstract Future<?> schedule(Runnable action, long delayNanos);

  protected abstract void onSpin();

  protected abstract Executor newScheduler();

  protected abstract void onStart(Thread virtual);

  protected abstract boolean adopts(Thread platform);

  protected abstract void onAdopted(Thread platform, Thread body);

  protected abstract void onEnd(Thread platform);

  protected abstract void onUncaught(Thread thread, Throwable failure);

  protected abstract long nextRandom(String use);

  protected abstract long pauseAt(String where);

  protected abstract RuntimeException refuse(String what);

  protected abstract void onRealFile(String file);

  protected abstract int processors();

  protected abstract SocketImpl newSocket();

  protected abstract SocketImpl newServerSocket();

  protected abstract SelectorProvider selectorProvider();

  protected abstract InetAddress[] addressesOf(String host) throws UnknownHostException;

  protected abstract String nameOf(InetAddress address);

  protected abstract InetAddress localHost() throws UnknownHostException;
}
