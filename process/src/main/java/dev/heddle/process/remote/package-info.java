// SPDX-License-Identifier: Apache-2.0
/// Processes of other nodes: what a runtime asks of the connection to a node, and what that
/// connection asks of the runtime.
///
/// | enters | leaves |
/// |---|---|
/// | sends, links, monitors and orders whose address is on another node | the same, to its peer |
/// | messages, links, monitors and orders from other nodes | the same, to processes here |
///
/// Threads: any; nothing here waits. `RetryingExecutor` makes threads for what does. Read
/// `NodePeer`, then `LocalProcesses`.
@NullMarked
package dev.heddle.process.remote;

import org.jspecify.annotations.NullMarked;
