// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// Something that was registered, until it is closed. Closing it again changes nothing.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=registration}
///
/// @since 0.1
@FunctionalInterface
public interface Registration extends AutoCloseable {
  /// Takes back what was registered.
  @Override
  void close();
}
