// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

/// One figure of a case, printed as one line per contender.
///
/// @param name the line's first column
/// @param metric the figure
public record Row(String name, Metric metric) {}
