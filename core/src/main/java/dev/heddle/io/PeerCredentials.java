// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

/// The peer of a UNIX socket, as the system reports it: the process that called `connect` or
/// `listen`. It may have changed its user, ended, or passed the socket on since.
///
/// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=peer}
///
/// @param pid process id; 0 if the process is outside of this process's namespace
/// @param uid effective user id
/// @param gid effective group id
/// @since 0.1
public record PeerCredentials(int pid, int uid, int gid) {}
