// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.lang.reflect.Method;

/// Raises signals in this process, and looks at their handlers; reflective because javac warns of
/// `sun.misc.Signal` wherever it is named.
public final class Raise {
  private Raise() {}

  /// Raises one.
  public static void signal(String name) {
    try {
      Class<?> type = Class.forName("sun.misc.Signal");
      Object signal = type.getConstructor(String.class).newInstance(name);
      type.getMethod("raise", type).invoke(null, signal);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /// Who handles a signal now; asked by putting the default in its place for a moment.
  public static Object handlerOf(String name) {
    try {
      Class<?> type = Class.forName("sun.misc.Signal");
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      Object signal = type.getConstructor(String.class).newInstance(name);
      Method handle = type.getMethod("handle", type, handlerType);
      Object inForce = handle.invoke(null, signal, handlerType.getField("SIG_DFL").get(null));
      handle.invoke(null, signal, inForce);
      return inForce;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
