// SPDX-License-Identifier: Apache-2.0
/// The interfaces to external tools: the platform's MBean server and flight recordings. The only
/// package that uses `java.management` and `jdk.jfr`.
///
/// | enters | leaves |
/// |---|---|
/// | views of runtimes, reports of long steps, exits | registrations, events, dumps |
///
/// Threads: the one for reports, workers, and the one of a shutdown. Read `RuntimeRegistration`.
package dev.heddle.process.observe;
