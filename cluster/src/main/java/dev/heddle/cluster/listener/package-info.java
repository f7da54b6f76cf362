// SPDX-License-Identifier: Apache-2.0
/// The listeners of the program, on threads of their own.
///
/// | enters | leaves |
/// |---|---|
/// | changes, in order | the same, to each listener in order |
///
/// Threads: any; those of the listeners may wait. Read `Listeners`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.listener;
