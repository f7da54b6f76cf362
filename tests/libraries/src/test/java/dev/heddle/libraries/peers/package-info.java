// SPDX-License-Identifier: Apache-2.0
/// Servers of others, unchanged, whose handlers are coroutines of a loop.
///
/// | enters | leaves |
/// |---|---|
/// | servers as published, a database behind a socket | answers, a dump, what is left |
///
/// Each server is set up by the lines that `docs/how-to/run-executors-on-a-loop.md` shows. Its
/// handlers wait in JDBC for one row that the test has locked. Read [PeersTest] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.libraries.peers;
