// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A request of a process to the runtime: its class selects the handler, its fields are the
/// arguments. [Commands] has the common ones; others are records of the program, with a handler
/// given to [ProcessRuntimeBuilder#handler].
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=command}
///
/// @param <R> the type of the result
/// @since 0.1
@SuppressWarnings("unused") // R ties the command to the result of its handler
public interface ProcessCommand<R extends @Nullable Object> {}
