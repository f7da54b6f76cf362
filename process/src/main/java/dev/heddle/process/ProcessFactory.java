// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Makes processes of what names them, for those who start or upgrade by name.
///
/// @since 0.1
@FunctionalInterface
public interface ProcessFactory {
  /// A new process of this source. What it throws fails the start or the upgrade. **Thread** any.
  Process create(String source) throws Exception;
}
