// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// The handle of something that was registered; closing it removes that. Further calls do nothing.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=registration}
///
/// @since 0.1
@FunctionalInterface
public interface Registration extends AutoCloseable {
  /// Removes what was registered.
  @Override
  void close();
}
