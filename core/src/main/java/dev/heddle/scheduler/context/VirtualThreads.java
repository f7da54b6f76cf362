// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Access to JDK internals: virtual threads on a scheduler of Heddle, and the state that is bound
/// to them.
///
/// All reflection of the runtime is here. [#problem()] reports whether the internals are
/// accessible; where they are not, nothing else may be called.
public final class VirtualThreads {
  private VirtualThreads() {}

  /// Why loops cannot run on this JVM, and what to do about it; null when they can.
  public static @Nullable String problem() {
    return Probe.PROBLEM;
  }

  /// The command-line flag that grants this program the access.
  public static String flag() {
    Module self = VirtualThreads.class.getModule();
    return "--add-opens java.base/java.lang=" + (self.isNamed() ? self.getName() : "ALL-UNNAMED");
  }

  /// An unstarted thread that the JDK runs by passing its task to `scheduler`. It inherits nothing
  /// from the current thread, which may be a carrier: no `childValue` is called.
  public static Thread create(Executor scheduler, Runnable body) {
    try {
      return (Thread)
          Handles.NEW_VIRTUAL_THREAD.invokeExact(
              scheduler, (String) null, Handles.INHERITS_NOTHING, body);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK refused to create a virtual thread", e);
    }
  }

  /// The executor that schedules `thread`; null for platform threads.
  public static @Nullable Object schedulerOf(Thread thread) {
    return thread.isVirtual() ? Handles.SCHEDULER.get(thread) : null;
  }

  /// Whether `thread` is mounted on a carrier at this moment; false also where the JDK does not
  /// report it.
  public static boolean isMounted(Thread thread) {
    return Internals.CARRIER != null && Internals.CARRIER.getVolatile(thread) != null;
  }

  /// The platform thread that runs `thread` at this moment: itself where it is one; null where it
  /// is not mounted, or the JDK does not report it.
  public static @Nullable Thread carrierOf(Thread thread) {
    if (!thread.isVirtual()) {
      return thread;
    }
    return Internals.CARRIER == null ? null : (Thread) Internals.CARRIER.getVolatile(thread);
  }

  /// Has the JDK take `thread`, which waits and will never continue, for one that has ended. Else a
  /// container of the JDK would keep it, and what is on its stack, reachable. Where the JDK does
  /// not offer that it does.
  public static void forget(Thread thread) {
    MethodHandle end = Dropping.AFTER_DONE;
    try {
      if (end != null && thread.getState() != Thread.State.TERMINATED) {
        end.invoke(thread);
      }
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK did not forget " + thread, e);
    }
  }

  /// The virtual thread that the JDK continues by `turn`; null where it is another task, or the JDK
  /// does not offer that it is found out.
  public static @Nullable Thread threadOf(Runnable turn) {
    MethodHandle owner = Dropping.OWNER;
    if (owner == null || owner.type().parameterType(0) != turn.getClass()) {
      return null;
    }
    try {
      return (Thread) owner.invoke(turn);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK did not tell the thread of " + turn, e);
    }
  }

  /// Whether the JDK has parked `thread` in `Object.wait`.
  static boolean isInObjectWait(Thread thread) {
    // safe: a stale state counts as doubt, or the interrupt detects it
    int state = (int) Handles.STATE.getVolatile(thread) & ~Handles.SUSPENDED;
    return state == Handles.WAIT || state == Handles.TIMED_WAIT;
  }

  /// Whether `thread` is in a timed `Object.wait`, and its stack is being read at this moment.
  static boolean isReadInTimedWait(Thread thread) {
    return (int) Handles.STATE.getVolatile(thread) == (Handles.TIMED_WAIT | Handles.SUSPENDED);
  }

  /// Repairs the state of the current thread, a virtual one. JDK 25 leaves a running thread in the
  /// state BLOCKING when its `Object.wait` has ended without a `notify` while another thread
  /// released the monitor. The next `Object.wait` of such a thread holds its carrier.
  public static void repairState() {
    Thread current = Thread.currentThread();
    // safe: the thread itself wrote it; other threads change only the states of waiting threads
    if ((int) Handles.STATE.get(current) == Handles.BLOCKING) {
      Handles.STATE.setVolatile(current, Handles.RUNNING);
    }
  }

  /// Reads what the JDK will touch when it mounts `thread`, to prefetch it.
  ///
  /// @return a number without meaning
  static int prefetch(Thread thread) {
    return (Handles.LOCALS.get(thread) == null ? 0 : 1)
        + ((boolean) Handles.PARK_PERMIT.get(thread) ? 1 : 0)
        + (Internals.CONTINUATION != null && Internals.CONTINUATION.get(thread) instanceof Runnable
            ? 1
            : 0);
  }

  /// The JDK's own scheduler of virtual threads.
  public static Executor defaultScheduler() {
    return Handles.DEFAULT_SCHEDULER;
  }

  static @Nullable Object copyOfInheritableLocals(Thread thread) {
    Object locals = Handles.INHERITABLE_LOCALS.get(thread);
    try {
      return locals == null ? null : Handles.INHERIT.invoke(locals);
    } catch (RuntimeException | Error e) {
      throw e; // thrown by a childValue()
    } catch (Throwable e) {
      throw new IllegalStateException("an inheritable thread-local could not be copied", e);
    }
  }

  /// Copies those of `parent`, if it has any, to the current context's thread.
  static void adoptInheritableLocals(Thread parent) {
    Object locals = copyOfInheritableLocals(parent);
    if (locals != null) {
      Handles.INHERITABLE_LOCALS.set(Thread.currentThread(), locals);
    }
  }

  /// Sets what the next occupant of the current context's thread inherits.
  ///
  /// @param taken null: no inheritable locals, and the `ordinary` class loader
  static void inherit(Thread thread, @Nullable Inheritance taken, @Nullable ClassLoader ordinary) {
    Object locals = taken == null ? null : taken.locals();
    if (Handles.INHERITABLE_LOCALS.get(thread) != locals) {
      Handles.INHERITABLE_LOCALS.set(thread, locals);
    }
    ClassLoader loader = taken == null ? ordinary : taken.loader();
    if (thread.getContextClassLoader() != loader) {
      thread.setContextClassLoader(loader);
    }
  }

  /// Clears what was meant for the last occupant of the current context's thread only.
  static void clearInheritance() {
    Thread.interrupted();
    repairState();
  }

  /// Clears everything that the last occupant has bound to the current context's thread, except
  /// what [#inherit] replaces.
  static void clearBindings(Thread thread) {
    clearInheritance();
    if (Handles.LOCALS.get(thread) != null) {
      Handles.LOCALS.set(thread, null);
    }
    // safe: only the thread itself consumes its permit; one that comes later is a spurious wake-up,
    // which park allows
    if ((boolean) Handles.PARK_PERMIT.get(thread)) {
      Handles.PARK_PERMIT.setVolatile(thread, false);
    }
    if (Handles.UNCAUGHT_HANDLER.get(thread) != null) {
      thread.setUncaughtExceptionHandler(null);
    }
    if (!thread.getName().isEmpty()) {
      thread.setName("");
    }
  }

  /// Whether [#clearPlatformThread] may have something to clear.
  static boolean hasBindings(Thread thread) {
    return Probe.PROBLEM == null
        && (Handles.LOCALS.get(thread) != null
            || Handles.INHERITABLE_LOCALS.get(thread) != null
            || Handles.UNCAUGHT_HANDLER.get(thread) != null);
  }

  /// Clears what other code has bound to the current platform thread: its thread-locals and its
  /// uncaught exception handler. Locals that the JDK binds to carriers (I/O buffers) stay. Does
  /// nothing where [#problem] is not null.
  static void clearPlatformThread(Thread thread) {
    if (Probe.PROBLEM != null) {
      return;
    }
    Object locals = Handles.LOCALS.get(thread);
    if (locals != null) {
      clearLocals(thread, locals);
    }
    if (Handles.INHERITABLE_LOCALS.get(thread) != null) {
      Handles.INHERITABLE_LOCALS.set(thread, null);
    }
    if (Handles.UNCAUGHT_HANDLER.get(thread) != null) {
      thread.setUncaughtExceptionHandler(null);
    }
  }

  private static void clearLocals(Thread thread, Object locals) {
    Object[] table = (Object[]) Handles.LOCALS_TABLE.get(locals);
    boolean foreign = false;
    for (Object entry : table) {
      foreign |= entry instanceof Reference<?> key && !isOfCarrier(key.get());
    }
    if (!foreign) {
      return;
    }
    Handles.LOCALS.set(thread, null);
    for (Object entry : table) {
      if (entry instanceof Reference<?> key && isOfCarrier(key.get())) {
        keepLocal((ThreadLocal<?>) key.get(), Handles.LOCAL_VALUE.get(entry));
      }
    }
  }

  private static boolean isOfCarrier(@Nullable Object key) {
    return Handles.CARRIER_LOCAL.isInstance(key);
  }

  @SuppressWarnings("unchecked") // safe: the value and this key come from one entry
  private static void keepLocal(@Nullable ThreadLocal<?> key, @Nullable Object value) {
    if (key != null) {
      ((ThreadLocal<@Nullable Object>) key).set(value);
    }
  }

  /// Initialises, on a platform thread, a JDK class that would otherwise start threads from inside
  /// a coroutine.
  public static void warmUp() {
    try {
      Class.forName("sun.nio.ch.Poller");
    } catch (ClassNotFoundException _) {
      // safe: a JDK without that class has no pollers that could inherit our scheduler
    }
  }

  private static final class Probe {
    static final @Nullable String PROBLEM = find();

    private static @Nullable String find() {
      Runtime.Version version = Runtime.version();
      String refused = refusal(version);
      if (refused != null) {
        return refused;
      }
      if (ModuleLayer.boot().findModule("java.management").isEmpty()) {
        return "this Java runtime was built without the module java.management; add it to the"
            + " --add-modules of jlink";
      }
      if (areBound()) {
        return "this JVM has no continuations (VMContinuations), on which Heddle's coroutines run: it"
            + " makes a platform thread for each virtual one; start Java without"
            + " -XX:-VMContinuations, on a platform for which the JDK has them";
      }
      try {
        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
      } catch (IllegalAccessException _) {
        return "Heddle needs access to the JDK's virtual threads; start Java with: " + flag();
      }
      try {
        return Handles.NEW_VIRTUAL_THREAD == null ? "unreachable" : null;
      } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
        return "Java "
            + version
            + " has moved the scheduler hook of virtual threads ("
            + e.getCause()
            + "); run Heddle on JDK 25.0.3 or a later update of 25";
      }
    }

    // without continuations the JDK creates bound threads instead of virtual ones
    private static boolean areBound() {
      Thread probe = Thread.ofVirtual().unstarted(() -> {});
      return !probe.getClass().getName().equals("java.lang.VirtualThread");
    }

    // JDK-8369227: a virtual thread can stay PARKED for ever
    private static @Nullable String refusal(Runtime.Version v) {
      boolean stuck =
          (v.feature() == 25 && v.interim() == 0 && v.update() < 3)
              || (v.feature() == 26 && v.interim() == 0 && v.update() == 0);
      return stuck
          ? "Java "
              + v
              + " can leave virtual threads parked for ever (JDK-8369227);"
              + " install JDK 25.0.3 or later"
          : null;
    }
  }

  // for reports and speed only: loops also run on a JDK without these fields
  private static final class Internals {
    static final @Nullable VarHandle CARRIER = find("carrierThread", "java.lang.Thread");
    static final @Nullable VarHandle CONTINUATION = find("cont", "jdk.internal.vm.Continuation");

    private static @Nullable VarHandle find(String field, String type) {
      try {
        Class<?> virtual = Class.forName("java.lang.VirtualThread");
        return MethodHandles.privateLookupIn(virtual, MethodHandles.lookup())
            .findVarHandle(virtual, field, Class.forName(type));
      } catch (ReflectiveOperationException _) {
        return null;
      }
    }
  }

  // for simulations, so that other programs do not look for them: loops also run on a JDK without
  // these members
  private static final class Dropping {
    static final @Nullable MethodHandle AFTER_DONE = findAfterDone();
    static final @Nullable MethodHandle OWNER = findOwner();

    private static @Nullable MethodHandle findAfterDone() {
      try {
        Class<?> virtual = Class.forName("java.lang.VirtualThread");
        return MethodHandles.privateLookupIn(virtual, MethodHandles.lookup())
            .findVirtual(virtual, "afterDone", MethodType.methodType(void.class));
      } catch (ReflectiveOperationException _) {
        return null;
      }
    }

    // a turn is a method reference of the JDK, which holds the thread in its only field
    private static @Nullable MethodHandle findOwner() {
      try {
        Class<?> virtual = Class.forName("java.lang.VirtualThread");
        MethodHandles.Lookup own = MethodHandles.lookup();
        Object turn =
            MethodHandles.privateLookupIn(virtual, own)
                .findVarHandle(virtual, "runContinuation", Runnable.class)
                .get(create(Runnable::run, () -> {}));
        Field[] captured = turn.getClass().getDeclaredFields();
        if (captured.length != 1 || !Thread.class.isAssignableFrom(captured[0].getType())) {
          return null;
        }
        captured[0].setAccessible(true);
        return own.unreflectGetter(captured[0]);
      } catch (ReflectiveOperationException | InaccessibleObjectException _) {
        return null;
      }
    }
  }

  private static final class Handles {
    static final MethodHandle NEW_VIRTUAL_THREAD;
    static final Executor DEFAULT_SCHEDULER;
    static final int INHERITS_NOTHING; // a flag of thread creation
    static final VarHandle SCHEDULER;
    static final VarHandle PARK_PERMIT;
    static final VarHandle STATE;
    static final int RUNNING; // a state: it runs
    static final int BLOCKING; // a state: it is about to wait for a monitor
    static final int WAIT; // a state: it is in Object.wait
    static final int TIMED_WAIT;
    static final int SUSPENDED; // a flag of the state: its stack is being read
    static final VarHandle LOCALS;
    static final VarHandle INHERITABLE_LOCALS;
    static final VarHandle UNCAUGHT_HANDLER;
    static final MethodHandle INHERIT;
    static final VarHandle LOCALS_TABLE;
    static final VarHandle LOCAL_VALUE; // of an entry of the table
    static final Class<?> CARRIER_LOCAL;

    static {
      try {
        MethodHandles.Lookup own = MethodHandles.lookup();
        Class<?> builders = Class.forName("java.lang.ThreadBuilders");
        Class<?> virtual = Class.forName("java.lang.VirtualThread");
        Class<?> locals = Class.forName("java.lang.ThreadLocal$ThreadLocalMap");
        MethodHandles.Lookup in = MethodHandles.privateLookupIn(virtual, own);
        MethodHandles.Lookup inThread = MethodHandles.privateLookupIn(Thread.class, own);
        NEW_VIRTUAL_THREAD =
            MethodHandles.privateLookupIn(builders, own)
                .findStatic(
                    builders,
                    "newVirtualThread",
                    MethodType.methodType(
                        Thread.class, Executor.class, String.class, int.class, Runnable.class));
        DEFAULT_SCHEDULER =
            (Executor)
                in.findStatic(virtual, "defaultScheduler", MethodType.methodType(Executor.class))
                    .invoke();
        INHERITS_NOTHING =
            (int)
                inThread
                    .findStaticVarHandle(Thread.class, "NO_INHERIT_THREAD_LOCALS", int.class)
                    .get();
        SCHEDULER = in.findVarHandle(virtual, "scheduler", Executor.class);
        PARK_PERMIT = in.findVarHandle(virtual, "parkPermit", boolean.class);
        STATE = in.findVarHandle(virtual, "state", int.class);
        RUNNING = constant(in, virtual, "RUNNING");
        BLOCKING = constant(in, virtual, "BLOCKING");
        WAIT = constant(in, virtual, "WAIT");
        TIMED_WAIT = constant(in, virtual, "TIMED_WAIT");
        SUSPENDED = constant(in, virtual, "SUSPENDED");
        LOCALS = inThread.findVarHandle(Thread.class, "threadLocals", locals);
        INHERITABLE_LOCALS =
            inThread.findVarHandle(Thread.class, "inheritableThreadLocals", locals);
        UNCAUGHT_HANDLER =
            inThread.findVarHandle(
                Thread.class, "uncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class);
        CARRIER_LOCAL = Class.forName("jdk.internal.misc.CarrierThreadLocal");
        Class<?> entry = Class.forName("java.lang.ThreadLocal$ThreadLocalMap$Entry");
        LOCALS_TABLE =
            MethodHandles.privateLookupIn(locals, own)
                .findVarHandle(locals, "table", entry.arrayType());
        LOCAL_VALUE =
            MethodHandles.privateLookupIn(entry, own).findVarHandle(entry, "value", Object.class);
        INHERIT =
            MethodHandles.privateLookupIn(ThreadLocal.class, own)
                .findStatic(
                    ThreadLocal.class, "createInheritedMap", MethodType.methodType(locals, locals));
        create(Runnable::run, () -> {}, NEW_VIRTUAL_THREAD);
      } catch (Throwable e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private static int constant(MethodHandles.Lookup in, Class<?> virtual, String name)
        throws ReflectiveOperationException {
      return (int) in.findStaticVarHandle(virtual, name, int.class).get();
    }

    // the constructor may be accessible and still refuse a custom scheduler: create one thread
    private static void create(Executor executor, Runnable body, MethodHandle maker)
        throws Throwable {
      Thread thread = (Thread) maker.invoke(executor, null, 0, body);
      if (!thread.isVirtual()) {
        throw new UnsupportedOperationException("threads made by the hook are not virtual");
      }
    }
  }
}
