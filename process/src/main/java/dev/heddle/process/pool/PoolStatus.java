// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

/// How a pool is, at one moment.
///
/// @param members processes that live
/// @param busy those of them that have a call
/// @param waiting calls that wait for a member
/// @param started members that were started in all
/// @param calls that members were given in all
/// @param refused calls that were refused in all
/// @since 0.1
public record PoolStatus(
    int members, int busy, int waiting, long started, long calls, long refused) {}
