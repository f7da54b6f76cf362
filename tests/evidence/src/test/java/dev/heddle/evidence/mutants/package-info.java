// SPDX-License-Identifier: Apache-2.0

/// Mutants: small committed faults, and the tests that catch them.
///
/// | enters | leaves |
/// |---|---|
/// | `tests/evidence/mutants/*.mutant`, sources and test classes of the modules | which tests fail under which mutant |
///
/// Threads: each mutant's tests run in a JVM of their own, one at a time. Read `Mutant` first.
package dev.heddle.evidence.mutants;
