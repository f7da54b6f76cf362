// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.OpenResource;

/// A handle for a connection, a port or a file that a process has opened by a command. Only its
/// owner can use it, through [Commands]: the process that opened it, or the one it was transferred
/// to since ([Commands#transfer]). The runtime closes it when the owner ends.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=commands}
///
/// @since 0.1
public sealed interface ResourceHandle permits OpenResource {}
