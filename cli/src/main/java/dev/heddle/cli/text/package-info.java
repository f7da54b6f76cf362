// SPDX-License-Identifier: Apache-2.0

/// Text as terminals show it.
///
/// | enters | leaves |
/// |---|---|
/// | cells, and text of other programs | tables, and text without terminal commands |
///
/// Threads: any, one at a time. Read `TextTable`.
package dev.heddle.cli.text;
