// SPDX-License-Identifier: Apache-2.0

/// The driver over kqueue.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors to register and to close, from the package unix | edges |
///
/// Threads: the carrier. Read first: `KqueueRegistration`.
package dev.heddle.netty.kqueue;
