// SPDX-License-Identifier: Apache-2.0
/// Libraries that are built on Netty, unchanged, handed Heddle's loops.
///
/// | enters | leaves |
/// |---|---|
/// | libraries as they are published, Netty's own codecs | answers, each of which names its question |
///
/// Each test runs on every driver of Netty's that works here, on two loops at once. Beside them
/// threads allocate from Netty's allocator, take a lock and log, and a handler next to the wire
/// takes the same lock and the same logger: so a handler waits in the middle of a pipeline, again
/// and again. Read [TwoLoops] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.libraries.netty;
