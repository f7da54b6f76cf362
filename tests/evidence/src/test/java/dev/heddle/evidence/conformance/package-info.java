// SPDX-License-Identifier: Apache-2.0

/// What Heddle promises, and what proves it.
///
/// | enters | leaves |
/// |---|---|
/// | `docs/explanation/promises.txt`, tags of tests, mutants | `docs/explanation/conformance.md` |
///
/// Threads: JUnit's. Read `ConformancePage` first.
package dev.heddle.evidence.conformance;
