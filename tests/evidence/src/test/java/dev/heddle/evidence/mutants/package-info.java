// SPDX-License-Identifier: Apache-2.0

/// Mutants of the core: small committed faults, and the tests that catch them.
///
/// | enters | leaves |
/// |---|---|
/// | `tests/evidence/mutants/*.mutant`, the core's sources and test classes | which tests fail under which mutant |
///
/// Threads: each mutant's tests run in a JVM of their own, one at a time. Read `Mutant` first.
package dev.heddle.evidence.mutants;
