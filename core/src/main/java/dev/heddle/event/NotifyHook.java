// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

/// A callback that is told of each firing before all others, whenever it was added: for tracing,
/// metrics, and what has to be up to date when the others run.
///
/// It takes no outcome (a failure that only a hook has seen is still nobody's) and cannot change
/// one: latecomers get it by replay, and all must get the same. One that is added during a
/// notification is told from the next one on. Like every callback of a user's it runs in a short
/// coroutine of the loop, and the others wait for it.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=hook}
///
/// @since 0.1
@FunctionalInterface
public interface NotifyHook extends EventCallback {}
