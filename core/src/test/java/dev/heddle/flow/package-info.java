// SPDX-License-Identifier: Apache-2.0

/// Tests of the bridges to Reactive Streams.
package dev.heddle.flow;
