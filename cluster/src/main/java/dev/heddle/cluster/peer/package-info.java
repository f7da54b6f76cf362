// SPDX-License-Identifier: Apache-2.0
/// The processes of another node, as this one sees them: stand-ins with links and monitors, open
/// asks, and what that node asks of the processes here.
///
/// | enters | leaves |
/// |---|---|
/// | sends, links, monitors and orders of processes here | frames |
/// | frames, and the end of the session | the same, to processes here |
///
/// Threads: any; nothing here waits. Read `RemoteNode`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.peer;
