// SPDX-License-Identifier: Apache-2.0
/// The bytes between nodes: packets, frames, messages.
///
/// | enters | leaves |
/// |---|---|
/// | frames and messages | packets |
/// | packets, from anywhere | frames and messages, or a refusal that says what is wrong |
///
/// Threads: any; nothing here waits or keeps state between calls. Read `Packet`, `Frame`,
/// `MessageTypes`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.wire;
