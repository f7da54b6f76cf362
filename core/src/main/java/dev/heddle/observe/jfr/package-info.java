// SPDX-License-Identifier: Apache-2.0

/// Events for the JDK's Flight Recorder: the only package that uses `jdk.jfr`, which may be absent.
///
/// | enters | leaves |
/// |---|---|
/// | starts and ends of coroutines, reports, from the tree of a loop | events of a recording |
///
/// Threads: any. Read `LoopJfrEvents`.
package dev.heddle.observe.jfr;
