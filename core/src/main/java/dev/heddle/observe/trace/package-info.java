// SPDX-License-Identifier: Apache-2.0

/// What a trace is recorded into, and how it leaves the JVM; and the clock of accounts.
///
/// | enters | leaves |
/// |---|---|
/// | what happens in a loop or on a worker, while a trace of it is recorded | the last of it, to an observer |
/// | beginnings and ends of runs, while there are accounts | how long each was |
///
/// Threads: a ring has one writer. Read `TraceRing` first.
package dev.heddle.observe.trace;
