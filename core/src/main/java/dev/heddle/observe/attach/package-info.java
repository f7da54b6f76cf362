// SPDX-License-Identifier: Apache-2.0

/// The way in for `heddle ps` and `heddle dump`: a pair of named pipes that the observer makes, and
/// that this JVM opens when it finds them.
///
/// | enters | leaves |
/// |---|---|
/// | what may be observed, from loops and from other modules | answers, to an observer in another JVM |
///
/// Threads: the watchdog's checks for observers; each observer is served by a thread of its own.
/// Read `AttachPoll`.
package dev.heddle.observe.attach;
