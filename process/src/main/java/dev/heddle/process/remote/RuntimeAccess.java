// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.process.ProcessRuntime;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Leads from the public runtime, which is in another package, to what only other nodes need of it.
///
/// **Thread** any.
public final class RuntimeAccess {
  private static volatile @Nullable Function<ProcessRuntime, LocalProcesses> access;

  private RuntimeAccess() {}

  /// Called when the class of runtimes is initialised, before there is one.
  public static void set(Function<ProcessRuntime, LocalProcesses> of) {
    access = of;
  }

  static LocalProcesses localProcesses(ProcessRuntime runtime) {
    return Objects.requireNonNull(access, "a runtime was not initialised").apply(runtime);
  }
}
