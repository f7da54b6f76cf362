// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

/// A callback that runs before all ordinary ones, whenever it was added: for tracing, metrics, and
/// state that must be up to date when the others run.
///
/// It does not observe an outcome: a failure that only a hook has seen is still unobserved. It
/// cannot change the outcome, which is replayed to late subscribers. A hook that is added during a
/// notification is called from the next one on. Like every user's callback it runs in a short
/// coroutine of the loop, and the other callbacks wait for it.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=hook}
///
/// @since 0.1
@FunctionalInterface
public interface NotifyHook extends EventCallback {}
