// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// The two ends of a pipe.
///
/// @param source the end to read from
/// @param sink the end to write to
public record PipeDescriptors(StreamDescriptor source, StreamDescriptor sink) {}
