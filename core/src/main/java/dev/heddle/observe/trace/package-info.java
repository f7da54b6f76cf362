// SPDX-License-Identifier: Apache-2.0

/// What a trace is recorded into, and how it leaves the JVM.
///
/// | enters | leaves |
/// |---|---|
/// | what happens in a loop or on a worker, while a trace of it is recorded | the last of it, to an observer |
///
/// Threads: a ring has one writer. Read `TraceRing` first.
package dev.heddle.observe.trace;
