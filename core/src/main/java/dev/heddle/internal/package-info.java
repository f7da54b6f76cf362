// SPDX-License-Identifier: Apache-2.0

/// What several rooms need and none owns: a lock for a few instructions, a check that the stack has
/// room, sums of times that saturate, and throwing without a declaration. It uses no other room.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from every room and module of the runtime | nothing |
///
/// Threads: any. Read `StackGuard` first.
package dev.heddle.internal;
