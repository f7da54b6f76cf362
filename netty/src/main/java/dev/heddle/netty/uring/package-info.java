// SPDX-License-Identifier: Apache-2.0

/// The driver over io_uring.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors to watch and to close, from the UNIX room | submissions; edges |
///
/// Threads: the loop's. Read first: `UringRegistration`.
package dev.heddle.netty.uring;
