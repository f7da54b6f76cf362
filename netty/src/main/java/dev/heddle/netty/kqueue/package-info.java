// SPDX-License-Identifier: Apache-2.0

/// The driver over kqueue.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors to watch and to close, from the UNIX room | edges |
///
/// Threads: the loop's. Read first: `KqueueRegistration`.
package dev.heddle.netty.kqueue;
