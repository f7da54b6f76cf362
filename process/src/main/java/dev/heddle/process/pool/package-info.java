// SPDX-License-Identifier: Apache-2.0
/// Processes that share the calls of one function.
///
/// | enters | leaves |
/// |---|---|
/// | calls, as requests to the pool's PID | answers of its members |
///
/// Threads: those of any process; only its own steps touch the state of a pool. It uses nothing
/// that other processes could not use. Read `ProcessPool`.
package dev.heddle.process.pool;
