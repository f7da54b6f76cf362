// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;

/// A scope at the moment of a [Dump].
///
/// @param kind what it is, in a few words: `scope`, `supervised scope`
/// @param cancelled whether it was cancelled as a whole
/// @param members its coroutines, in the order in which they were spawned
/// @since 0.1
public record ScopeSnapshot(String kind, boolean cancelled, List<CoroutineSnapshot> members) {}
