// SPDX-License-Identifier: Apache-2.0
/// Other people's libraries, unchanged, inside coroutines.
///
/// | enters | leaves |
/// |---|---|
/// | libraries as they are published | turns passed beside their waits, the watchdog's reports |
///
/// The servers are real ones, on loopback: a PostgreSQL that the test starts, the JDK's HTTP
/// server; H2 runs in the test's own process. Each proof has the same form: the loop itself
/// releases what the library waits for, and only after many turns beside it, so that a wait that
/// held the loop would never end. Read [Watched] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.libraries;
