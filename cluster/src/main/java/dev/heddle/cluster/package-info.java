// SPDX-License-Identifier: Apache-2.0
/// Processes over several machines. Start at `Cluster`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster;
