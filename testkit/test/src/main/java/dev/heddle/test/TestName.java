// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.StackWalker.StackFrame;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Names of test methods, as Surefire and `./heddle test` take them: `Class#method`,
/// `Class$Nested#method`.
final class TestName {
  // what each annotation of a test of JUnit has; by name, since a program may be without JUnit
  private static final String TESTABLE = "org.junit.platform.commons.annotation.Testable";

  private TestName() {}

  static String of(Class<?> tests, String method) {
    String name = tests.getName();
    return name.substring(name.lastIndexOf('.') + 1) + "#" + method;
  }

  /// The test method of JUnit that has called the current one; null when there is none.
  static @Nullable String onStack() {
    Optional<StackFrame> test =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .walk(frames -> frames.filter(TestName::isTest).findFirst());
    return test.map(frame -> of(frame.getDeclaringClass(), frame.getMethodName())).orElse(null);
  }

  private static boolean isTest(StackFrame frame) {
    try {
      Method method =
          frame
              .getDeclaringClass()
              .getDeclaredMethod(frame.getMethodName(), frame.getMethodType().parameterArray());
      return isTestable(method, new HashSet<>());
    } catch (NoSuchMethodException | LinkageError _) {
      return false; // safe: a constructor, or a method whose classes are not there
    }
  }

  private static boolean isTestable(AnnotatedElement element, Set<Class<?>> seen) {
    for (Annotation annotation : element.getAnnotations()) {
      Class<?> type = annotation.annotationType();
      if (type.getName().equals(TESTABLE) || (seen.add(type) && isTestable(type, seen))) {
        return true;
      }
    }
    return false;
  }
}
