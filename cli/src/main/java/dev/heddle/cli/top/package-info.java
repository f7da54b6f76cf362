// SPDX-License-Identifier: Apache-2.0

/// The screen of `heddle top`.
///
/// | enters | leaves |
/// |---|---|
/// | rows of feeds, from `attach`; keys, from a terminal | a screen, or tables on a pipe |
///
/// `Page` and `View` are pure: rows and keys in, lines out. Only `LiveScreen` knows JLine.
///
/// Threads: one looks (`Looker`), one reads keys and draws. Read `View` first.
package dev.heddle.cli.top;
