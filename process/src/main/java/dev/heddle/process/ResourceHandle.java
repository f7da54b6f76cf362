// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.OpenResource;

/// Stands for a connection, a port or a file that a process has opened by a command. Of use to its
/// owner only, by [Commands]: the process that has opened it, or the one to which it was given
/// since ([Commands#transfer]). Closed when the owner ends.
///
/// @since 0.1
public sealed interface ResourceHandle permits OpenResource {}
