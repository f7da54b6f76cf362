// SPDX-License-Identifier: Apache-2.0

/// Thread-local contexts of other libraries in coroutines: the MDC, a span.
///
/// | enters | leaves |
/// |---|---|
/// | values of thread-locals, from the thread that captures | the same values, in a body |
///
/// Threads: any. Read `ThreadLocalContext`.
package dev.heddle.context;
