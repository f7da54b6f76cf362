// SPDX-License-Identifier: Apache-2.0

/// The way to the platform's MBean server: the only package that uses `java.management`.
///
/// | enters | leaves |
/// |---|---|
/// | views of loops, from the watchdog | registrations |
///
/// Threads: the watchdog's, and the carrier of a loop that ends. Read `LoopMBeans`.
package dev.heddle.observe.jmx;
