// SPDX-License-Identifier: Apache-2.0

/// The processes of one runtime: how they are started, found and ended, and reports of them.
///
/// | enters | leaves |
/// |---|---|
/// | processes, options, messages and orders, from the runtime and from contexts | processes, to the scheduler; snapshots and reports, to the runtime |
///
/// Threads: any, unless a type says otherwise. Read `ProcessHost` first, then `ProcessStarter` and
/// `ProcessDirectory`.
package dev.heddle.process.host;
