// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

/// A signal that this process has received.
///
/// {@snippet class=dev.heddle.snippets.OsSnippetsTest region=signals}
///
/// @param name without `SIG`: `TERM`
/// @param number number on this platform
/// @since 0.1
public record Signal(String name, int number) {}
