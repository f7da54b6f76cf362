// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The name of a message type between nodes. Without it, the name is that of the class without its
/// package, as `Cart.Add` for a record `Add` within `Cart`: then the class may move to another
/// package, and may not be renamed while nodes of both releases run.
///
/// {@snippet class=dev.heddle.cluster.WireSnippetsTest region=wire}
///
/// @since 0.1
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Wire {
  /// Letters, digits, `.`, `_`, `$` and `-`.
  String value();
}
