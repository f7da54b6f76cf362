// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.Registration;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.IntConsumer;

/// Signals of the operating-system process, through `sun.misc.Signal` of the module
/// jdk.unsupported.
///
/// Reflective, because javac warns of every mention of that class and the warning cannot be
/// suppressed; the JDK has no other access to signals.
public final class JdkSignals {
  private static final Set<String> LEFT_IGNORED = Set.of("HUP", "INT", "TERM"); // by the JVM

  private JdkSignals() {}

  /// An installed handler; closing it restores the previous one.
  public static final class InstalledHandler implements Registration {
    private final Method install;
    private final Object signal;
    private final Object ours;
    private final Object previous;
    private final boolean ignored;

    private InstalledHandler(
        Method install, Object signal, Object ours, Object previous, boolean ignored) {
      this.install = install;
      this.signal = signal;
      this.ours = ours;
      this.previous = previous;
      this.ignored = ignored;
    }

    /// Whether the process was started to ignore that signal, and the JVM keeps ignoring it: the
    /// handler is never called.
    public boolean isIgnored() {
      return ignored;
    }

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
          // another handler was installed after this one, and stays
          install.invoke(null, signal, replaced);
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("the handler of " + signal + " could not be put back", e);
      }
    }
  }

  /// Refuses a name that no signal has on this system.
  ///
  /// @param name without `SIG`
  /// @throws IllegalArgumentException for an unknown name
  public static void checkName(String name) {
    try {
      var _ = signal(Class.forName("sun.misc.Signal"), name);
    } catch (ReflectiveOperationException e) {
      throw refused(name, e);
    }
  }

  /// Calls `handler` with the signal's number, on a JVM thread, each time the signal is raised.
  ///
  /// @param name without `SIG`
  /// @throws IllegalArgumentException when the system or the JVM reserves that signal
  public static InstalledHandler handle(String name, IntConsumer handler) {
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
              JdkSignals.class.getClassLoader(), new Class<?>[] {handlerClass}, dispatch);
      Object previous = install.invoke(null, signal, ours);
      if (isNative(previous)) {
        install.invoke(null, signal, previous);
        throw new IllegalArgumentException(
            "SIG" + name + " is handled by the JVM itself, or by a native library" + remedy(name));
      }
      boolean ignored =
          LEFT_IGNORED.contains(name) && previous == handlerClass.getField("SIG_IGN").get(null);
      return new InstalledHandler(install, signal, ours, previous, ignored);
    } catch (ReflectiveOperationException e) {
      throw refused(name, e);
    }
  }

  private static Object signal(Class<?> signalClass, String name)
      throws ReflectiveOperationException {
    return signalClass.getConstructor(String.class).newInstance(name);
  }

  // Neither Java code, nor the default action, nor ignored: replacing it would break the JVM or a
  // native library. The JDK's class of that name is the only sign of it.
  private static boolean isNative(Object handler) {
    return handler.toString().startsWith("jdk.internal.misc.Signal$NativeHandler");
  }

  private static String remedy(String name) {
    return name.equals("USR2")
        ? ": it suspends threads with this signal; use another one, or set the environment variable"
            + " _JAVA_SR_SIGNUM, which makes the JVM use another one"
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
