// SPDX-License-Identifier: Apache-2.0

/// Looks at another JVM, from second to second.
///
/// | enters | leaves |
/// |---|---|
/// | rows of feeds, from `attach` | looks, to `top` and `console`, and answers to their questions |
///
/// Threads: one for each JVM that is looked at. Read `Looker`.
package dev.heddle.cli.look;
