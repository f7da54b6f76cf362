// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

/// A coroutine of a JVM that is looked at.
///
/// @param loop its number in the observation
public record Target(String loop, long coroutine) {}
