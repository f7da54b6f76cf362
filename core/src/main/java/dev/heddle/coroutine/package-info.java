// SPDX-License-Identifier: Apache-2.0

/// The public API of coroutines and scopes.
///
/// | enters | leaves |
/// |---|---|
/// | bodies to run, from user code | handles and scopes |
///
/// Threads: everything on the loop of the coroutine. Read `Scope` first; the package `tree`
/// implements both.
package dev.heddle.coroutine;
