// SPDX-License-Identifier: Apache-2.0

/// The bridges to Reactive Streams under the TCK, and with libraries that speak it.
package dev.heddle.libraries.flow;
