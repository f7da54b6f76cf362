// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/// Refuses values of a [HeddleTest] that would have no effect. An annotation does not tell a value
/// that was written from the same default: only other values than the defaults are seen.
final class AnnotationCheck {
  private AnnotationCheck() {}

  /// @param on the annotated method, for the message
  /// @throws ExtensionConfigurationException when there is one; the message names them
  static void check(HeddleTest test, Method on) {
    if (test.time() == HeddleTest.Time.REAL) {
      List<String> others = new ArrayList<>(changed(test));
      others.remove("time");
      refuse(others, "with time = REAL: it runs once, on an ordinary loop", on);
    }
    List<String> changed = changed(test);
    if (test.strategy() != HeddleTest.Order.PCT && changed.contains("depth")) {
      refuse(List.of("depth"), "without strategy = PCT", on);
    }
    if (test.strategy() != HeddleTest.Order.EXHAUSTIVE && changed.contains("preemptions")) {
      refuse(List.of("preemptions"), "without strategy = EXHAUSTIVE", on);
    }
    if (test.strategy() == HeddleTest.Order.EXHAUSTIVE) {
      List<String> drawn = new ArrayList<>(List.of("spuriousWakeUps", "stalls"));
      drawn.retainAll(changed);
      refuse(drawn, "with strategy = EXHAUSTIVE, which does not enumerate them", on);
    }
    if (test.strategy() == HeddleTest.Order.FIFO && changed.contains("seeds")) {
      refuse(List.of("seeds"), "with strategy = FIFO: it runs once", on);
    }
  }

  private static void refuse(List<String> names, String why, Method on) {
    if (!names.isEmpty()) {
      throw new ExtensionConfigurationException(
          "@HeddleTest on %s#%s: %s has no effect %s; remove it"
              .formatted(
                  on.getDeclaringClass().getSimpleName(),
                  on.getName(),
                  String.join(", ", names),
                  why));
    }
  }

  // in the order of their names, since that of the JVM is not certain
  private static List<String> changed(HeddleTest test) {
    List<String> names = new ArrayList<>();
    for (Method value : HeddleTest.class.getDeclaredMethods()) {
      try {
        if (!Objects.deepEquals(value.invoke(test), value.getDefaultValue())) {
          names.add(value.getName());
        }
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException(e); // the methods of an annotation are public
      }
    }
    names.sort(null);
    return names;
  }
}
