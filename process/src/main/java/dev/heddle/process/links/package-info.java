// SPDX-License-Identifier: Apache-2.0

/// What ties processes to each other: links, monitors and names.
///
/// | enters | leaves |
/// |---|---|
/// | ties, from the processes that want them; exits, from the room of live processes | word of each exit, to all who are tied to it |
///
/// Threads: any; each process has one lock for its ties, and nobody is told anything under it. Read
/// `ProcessLinks`.
package dev.heddle.process.links;
