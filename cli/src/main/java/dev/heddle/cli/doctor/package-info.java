// SPDX-License-Identifier: Apache-2.0

/// What a machine and its JVM offer to Heddle, and the lines to paste where something is missing.
///
/// | enters | leaves |
/// |---|---|
/// | the platform report, from `dev.heddle.observe` | findings, to `doctor` |
/// | `/proc` and the JVM's beans | lines to paste, to `doctor` and to the outside projects' test |
///
/// Threads: the main thread. Read `Checkup` first.
package dev.heddle.cli.doctor;
