// SPDX-License-Identifier: Apache-2.0

/// Links, monitors and names of processes.
///
/// | enters | leaves |
/// |---|---|
/// | links, monitors, names, exits: from processes | exit notifications, to those that are linked |
///
/// Threads: any; each process has one lock for its links, and no other code runs under it. Read
/// `ProcessLinks`.
package dev.heddle.process.links;
