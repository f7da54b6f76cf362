// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/// The values of a method's annotation that are not the defaults. An annotation does not tell a
/// value that was written from the same default.
final class ChangedValues {
  private final Method on;
  private final String annotation;
  private final List<String> names;

  ChangedValues(Annotation annotation, Method on) {
    this.on = on;
    this.annotation = annotation.annotationType().getSimpleName();
    this.names = namesOf(annotation);
  }

  // in the order of their names, since that of the JVM is not certain
  private static List<String> namesOf(Annotation annotation) {
    List<String> names = new ArrayList<>();
    for (Method value : annotation.annotationType().getDeclaredMethods()) {
      try {
        if (!Objects.deepEquals(value.invoke(annotation), value.getDefaultValue())) {
          names.add(value.getName());
        }
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException(e); // the methods of an annotation are public
      }
    }
    names.sort(null);
    return names;
  }

  /// Refuses some values, which would have no effect.
  ///
  /// @param why the rest of the sentence "they have no effect"
  /// @throws ExtensionConfigurationException when one of them is changed; the message names those
  void refuse(List<String> some, String why) {
    refuseIfAny(names.stream().filter(some::contains).toList(), why);
  }

  /// Refuses all values but one. Else as [#refuse].
  void refuseAllBut(String one, String why) {
    refuseIfAny(names.stream().filter(name -> !name.equals(one)).toList(), why);
  }

  private void refuseIfAny(List<String> changed, String why) {
    if (!changed.isEmpty()) {
      throw new ExtensionConfigurationException(
          "@%s on %s#%s: %s has no effect %s; remove it"
              .formatted(
                  annotation,
                  on.getDeclaringClass().getSimpleName(),
                  on.getName(),
                  String.join(", ", changed),
                  why));
    }
  }
}
