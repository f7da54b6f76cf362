// SPDX-License-Identifier: Apache-2.0

/// Coroutines and the scopes they live in, as users see them.
///
/// | enters | leaves |
/// |---|---|
/// | bodies to run, from user code | handles and scopes |
///
/// Threads: everything on the loop of the coroutine. Read `Scope` first; what is behind both is the
/// room `tree`.
package dev.heddle.coroutine;
