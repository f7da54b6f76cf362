// SPDX-License-Identifier: Apache-2.0
/// Other people's libraries, unchanged, in virtual time: hours of theirs in milliseconds.
///
/// | enters | leaves |
/// |---|---|
/// | libraries as they are published, the JDK's own among them | virtual time that passed |
///
/// Each test is plain blocking code that waits for as long as the library's own clocks say, and
/// asserts what the library does then. Sockets are those of the simulation. Read
/// [ScheduledExecutorTest] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.libraries;
