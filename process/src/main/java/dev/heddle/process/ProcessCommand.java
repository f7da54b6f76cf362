// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// What a process asks somebody else to do: its class says who, its fields what. [Commands] has
/// those that everybody needs; others are records of yours, with a handler given to the runtime's
/// builder.
///
/// @param <R> of the result
/// @since 0.1
@SuppressWarnings("unused") // R ties the command to the result of its handler
public interface ProcessCommand<R extends @Nullable Object> {}
