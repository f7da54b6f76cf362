// SPDX-License-Identifier: Apache-2.0
/// Sessions: two lives of nodes in touch. They decide what is delivered, in which order, and when
/// the other node counts as lost.
///
/// | enters | leaves |
/// |---|---|
/// | packets, frames to send, rumours, the time | packets, frames in order, the end of a session |
///
/// Threads: none, and no clock: state machines that are told the time. Read `Session`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.session;
