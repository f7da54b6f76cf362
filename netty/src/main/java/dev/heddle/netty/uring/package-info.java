// SPDX-License-Identifier: Apache-2.0

/// The driver over io_uring.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors to register and to close, from the package unix | submissions; edges |
///
/// Threads: the carrier. Read first: `UringRegistration`.
package dev.heddle.netty.uring;
