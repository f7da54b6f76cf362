// SPDX-License-Identifier: Apache-2.0

/// The gate behind the rule that nothing that can wait runs on the trampoline.
///
/// | enters | leaves |
/// |---|---|
/// | the classes of the core and of the Netty bridge | each place at which a thread may wait |
/// | `waits.txt`: those places, and the threads that come there | what stands in one of the two only |
/// | `trampoline.txt`: where the trampoline begins, and where it hands over | places that it comes to and that do not name it |
///
/// Threads: a test's. Read `WaitsTest` first.
package dev.heddle.netty.gates;
