// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import org.jspecify.annotations.Nullable;

/// A scope at the moment of a [Dump].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=waits}
///
/// @param id its number in the dump; 0 is the root
/// @param kind its kind: `scope`, `supervised scope`
/// @param cancelled whether it was cancelled as a whole
/// @param parent its parent; null for the root
/// @param owner the number of the coroutine that opened it and waits for its end, or null
/// @since 0.1
public record ScopeSnapshot(
    int id, String kind, boolean cancelled, @Nullable Integer parent, @Nullable Long owner) {}
