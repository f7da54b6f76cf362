// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// What a test of a handle or an event is about; without it, [Aspect#OTHER].
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Shows {
  /// One or more.
  Aspect[] value();
}
