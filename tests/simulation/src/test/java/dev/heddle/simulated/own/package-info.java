// SPDX-License-Identifier: Apache-2.0
/// Heddle's own parts under simulation: programs that use them, with what must hold of each.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.own;
