// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

/// What a process asks somebody else to do: its class says who, its fields what.
///
/// @param <R> of the result
/// @since 0.1
@SuppressWarnings("unused") // R ties the command to the result of its handler
public interface Command<R> {}
