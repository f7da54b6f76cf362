// SPDX-License-Identifier: Apache-2.0

/// What UNIX sockets have and others have not, as values: names that are no files, and the
/// credentials of a peer.
///
/// | enters | leaves |
/// |---|---|
/// | names, from callers of `dev.heddle.io.Unix` | credentials, to them |
///
/// Threads: any. Read `UnixName` first.
package dev.heddle.io.unix;
