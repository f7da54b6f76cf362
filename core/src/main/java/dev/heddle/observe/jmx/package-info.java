// SPDX-License-Identifier: Apache-2.0

/// The way to the platform's MBean server: the only package that uses `java.management`.
///
/// | enters | leaves |
/// |---|---|
/// | views of loops, runtimes and nodes | registrations |
///
/// Threads: any; a carrier calls only what takes no lock. Read `ManagedBean`.
package dev.heddle.observe.jmx;
