// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

/// A signal that the process got.
///
/// {@snippet class=dev.heddle.snippets.OsSnippetsTest region=signals}
///
/// @param name without `SIG`: `TERM`
/// @param number of this platform
/// @since 0.1
public record Signal(String name, int number) {}
