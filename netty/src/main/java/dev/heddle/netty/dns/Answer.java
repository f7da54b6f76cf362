// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.util.List;

/// What is known of a question.
sealed interface Answer {
  /// Records: addresses, [dev.heddle.io.SrvRecord], [dev.heddle.io.TxtRecord], or names as text.
  ///
  /// @param values at least one
  /// @param ttl in seconds
  record Found(List<?> values, long ttl) implements Answer {}

  /// There is none.
  ///
  /// @param why as errors say it
  /// @param ttl in seconds; 0: not to be kept
  record None(String why, long ttl) implements Answer {}

  /// The name is another one's, and what that has was not said.
  ///
  /// @param target a name as of [Question]
  /// @param ttl in seconds
  record Alias(String target, long ttl) implements Answer {}

  /// The server could not say.
  ///
  /// @param why as errors say it
  /// @param again whether the same server may know when it is asked again
  record Failed(String why, boolean again) implements Answer {}
}
