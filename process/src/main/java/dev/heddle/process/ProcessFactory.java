// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Makes the processes that upgrades name: [StepOutput#upgrade], [CoroutineProcess#upgrade].
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=upgrade}
///
/// @since 0.1
@FunctionalInterface
public interface ProcessFactory {
  /// Makes a new process of this source. An exception fails the process that upgrades. **Thread**
  /// any.
  Process create(String source) throws Exception;
}
