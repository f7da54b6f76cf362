// SPDX-License-Identifier: Apache-2.0

/// The log `dev.heddle`: the only package of the core, and of the Netty bridge, that calls a
/// logging system or a listener of reports.
///
/// | enters | leaves |
/// |---|---|
/// | lines and reports, from any thread, which never waits for them | calls of `System.Logger` and of listeners, on a thread beside the loop |
///
/// Threads: any writes; what is written is carried out on one thread of each log. Read `AsyncLog`.
package dev.heddle.observe.log;
