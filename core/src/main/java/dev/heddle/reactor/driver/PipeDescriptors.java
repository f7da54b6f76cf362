// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// The two ends of a pipe.
///
/// @param source read from
/// @param sink written to
public record PipeDescriptors(StreamDescriptor source, StreamDescriptor sink) {}
