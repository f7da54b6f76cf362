// SPDX-License-Identifier: Apache-2.0

/// Shared basics that belong to no single package: a spin lock, a stack check, handles of fields,
/// saturating sums of times, and unchecked rethrows. It uses no other package.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from every package and module of the runtime | nothing |
///
/// Threads: any. Read `StackGuard` first.
package dev.heddle.internal;
