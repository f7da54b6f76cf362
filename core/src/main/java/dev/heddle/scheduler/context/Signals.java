// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.Registration;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/// Signals of the process, through `sun.misc.Signal` of the module jdk.unsupported.
///
/// Reflective because javac warns of every mention of that class, and cannot be told otherwise on a
/// line; the JDK has no other way to signals.
public final class Signals {
  private Signals() {}

  /// Calls `handler` with the signal's number, on a thread of the JVM's, each time it is raised.
  ///
  /// @param name without `SIG`
  /// @return puts back the handler that was there before
  /// @throws IllegalArgumentException when the JVM does not give that signal away
  public static Registration handle(String name, IntConsumer handler) {
    try {
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Method number = signalClass.getMethod("getNumber");
      Method install = signalClass.getMethod("handle", signalClass, handlerClass);
      Object signal = signalClass.getConstructor(String.class).newInstance(name);
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
      return () -> restore(install, signal, ours, previous);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          "SIG"
              + name
              + " cannot be handled: this Java runtime was built without the module"
              + " jdk.unsupported; add it to the --add-modules of jlink",
          e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "SIG" + name + " cannot be handled in this JVM: " + e.getCause(), e);
    }
  }

  private static void restore(Method install, Object signal, Object ours, Object previous) {
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
