// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.Registration;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.IntConsumer;

/// Signals of the process, through `sun.misc.Signal` of the module jdk.unsupported.
///
/// Reflective because javac warns of every mention of that class, and cannot be told otherwise on a
/// line; the JDK has no other way to signals.
public final class Signals {
  private static final Set<String> LEFT_IGNORED = Set.of("HUP", "INT", "TERM"); // by the JVM

  private Signals() {}

  /// A handler in its place; closing it puts back the one that was there before.
  public static final class Handling implements Registration {
    private final Method install;
    private final Object signal;
    private final Object ours;
    private final Object previous;
    private final boolean ignored;

    private Handling(Method install, Object signal, Object ours, Object previous, boolean ignored) {
      this.install = install;
      this.signal = signal;
      this.ours = ours;
      this.previous = previous;
      this.ignored = ignored;
    }

    /// Whether the process was started to ignore that signal, and the JVM leaves it at that: the
    /// handler is never called.
    public boolean isIgnored() {
      return ignored;
    }

    /// Raises that signal in this process.
    public void raise() {
      try {
        install.getDeclaringClass().getMethod("raise", signal.getClass()).invoke(null, signal);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(signal + " could not be raised", e);
      }
    }

    @Override
    public void close() {
      try {
        Object replaced = install.invoke(null, signal, previous);
        if (replaced != ours) {
          // somebody came after us, and stays
          install.invoke(null, signal, replaced);
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("the handler of " + signal + " could not be put back", e);
      }
    }
  }

  /// Refuses a name that no signal has here.
  ///
  /// @param name without `SIG`
  /// @throws IllegalArgumentException naming it
  public static void checkName(String name) {
    try {
      var _ = signal(Class.forName("sun.misc.Signal"), name);
    } catch (ReflectiveOperationException e) {
      throw refused(name, e);
    }
  }

  /// Calls `handler` with the signal's number, on a thread of the JVM's, each time it is raised.
  ///
  /// @param name without `SIG`
  /// @throws IllegalArgumentException when the system or the JVM does not give that signal away
  public static Handling handle(String name, IntConsumer handler) {
    try {
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Method number = signalClass.getMethod("getNumber");
      Method install = signalClass.getMethod("handle", signalClass, handlerClass);
      Object signal = signal(signalClass, name);
      InvocationHandler dispatch =
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "handle" -> {
                  handler.accept((int) number.invoke(signal));
                  yield null;
                }
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "handler of SIG" + name;
              };
      Object ours =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(), new Class<?>[] {handlerClass}, dispatch);
      Object previous = install.invoke(null, signal, ours);
      if (isNative(previous)) {
        install.invoke(null, signal, previous);
        throw new IllegalArgumentException(
            "SIG" + name + " is handled by the JVM itself, or by a native library" + remedy(name));
      }
      boolean ignored =
          LEFT_IGNORED.contains(name) && previous == handlerClass.getField("SIG_IGN").get(null);
      return new Handling(install, signal, ours, previous, ignored);
    } catch (ReflectiveOperationException e) {
      throw refused(name, e);
    }
  }

  private static Object signal(Class<?> signalClass, String name)
      throws ReflectiveOperationException {
    return signalClass.getConstructor(String.class).newInstance(name);
  }

  // Neither Java code, nor the default, nor to be ignored: who replaces it breaks what it is for.
  // The class is the JDK's own, and shows in no other way.
  private static boolean isNative(Object handler) {
    return handler.toString().startsWith("jdk.internal.misc.Signal$NativeHandler");
  }

  private static String remedy(String name) {
    return name.equals("USR2")
        ? ": it suspends threads by it; use another one, or give the JVM another one by the"
            + " environment variable _JAVA_SR_SIGNUM"
        : "; use another one";
  }

  private static IllegalArgumentException refused(String name, ReflectiveOperationException e) {
    if (e instanceof ClassNotFoundException) {
      return new IllegalArgumentException(
          "SIG"
              + name
              + " cannot be handled: this Java runtime was built without the module"
              + " jdk.unsupported; add it to the --add-modules of jlink",
          e);
    }
    Throwable cause = e.getCause();
    return new IllegalArgumentException(
        "SIG"
            + name
            + " cannot be handled in this JVM: "
            + (cause == null ? e.toString() : cause.getMessage()),
        e);
  }
}
