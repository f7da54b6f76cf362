// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

/// The status of a pool at one moment.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=pool}
///
/// @param members the members alive
/// @param busy the members that have a call
/// @param waiting the calls that wait for a member
/// @param started the members started in all
/// @param calls the calls given to members in all
/// @param refused the calls refused in all
/// @since 0.1
public record PoolStatus(
    int members, int busy, int waiting, long started, long calls, long refused) {}
