// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

/// Who is on the other side of a UNIX socket, as the system knows it: the process that called
/// `connect`, or `listen`. It may have changed its user, ended, or given the socket away since.
///
/// @param pid its number, 0 when it lies outside of this process's namespace
/// @param uid its effective user
/// @param gid its effective group
/// @since 0.1
public record PeerCredentials(int pid, int uid, int gid) {}
