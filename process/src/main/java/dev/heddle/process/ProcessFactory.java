// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Makes processes of the sources that upgrades name: [StepOutput#upgrade],
/// [CoroutineProcess#upgrade].
///
/// @since 0.1
@FunctionalInterface
public interface ProcessFactory {
  /// A new process of this source. What it throws fails the process that upgrades. **Thread** any.
  Process create(String source) throws Exception;
}
