// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/// Tests of a handle, or of a kind of event, whose outcomes go into the table of drivers.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CellRecorder.class)
public @interface Proves {
  /// The row.
  String value();
}
