// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import dev.heddle.simulated.program.Program;
import java.util.List;
import java.util.Set;

/// What simulations cannot do yet, and the programs that need it. A gap that is closed is removed
/// here; its programs are then explored like all others.
final class Gaps {
  /// The sockets and channels of the JDK, connected with the simulated network.
  private static final Set<String> NEED_SOCKETS =
      Set.of(
          "AsyncClientConnectNoServerException",
          "AsyncClientNoConnectWriteDeadlock",
          "AsyncClientSelectAfterCloseDeadlock",
          "AsyncClientSelectNoConnectDeadlock",
          "SelectorWithNoRegistrationDeadlock",
          "SyncClientConnectTwice",
          "SyncClientExceptionWithoutServer",
          "SyncServerAcceptDeadlock",
          "NetworkCallWithSocketNoDeadlock",
          "NormalNetworkCallNoDeadlock",
          "SimpleHttpClient",
          "AsyncSelectorAsyncClose",
          "AsyncServerAsyncClient",
          "AsyncServerAsyncClientWriteReigster",
          "SyncServerSyncClient",
          "SyncServerSyncClientConcurrentRead");

  private Gaps() {}

  /// Those that need nothing that is missing.
  static List<Program> without(List<Program> programs) {
    return programs.stream()
        .filter(program -> !NEED_SOCKETS.contains(program.name()))
        .toList();
  }
}
