// SPDX-License-Identifier: Apache-2.0
/// The ways to tools outside: the platform's MBean server and flight recordings. The only room that
/// uses `java.management` and `jdk.jfr`.
///
/// | enters | leaves |
/// |---|---|
/// | views of runtimes, reports of long steps, exits | registrations, events, dumps |
///
/// Threads: that of reports, workers', and that of a shutdown. Read `RuntimeRegistration`.
package dev.heddle.process.observe;
