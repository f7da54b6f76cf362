// SPDX-License-Identifier: Apache-2.0
/// What is shown of a cluster to tools outside: tables, a bean, events of a flight recording.
///
/// | enters | leaves |
/// |---|---|
/// | what nodes report of themselves, as texts and numbers | beans, events, answers to `heddle ps` |
///
/// Threads: any. Read `ClusterRegistration`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.observe;
