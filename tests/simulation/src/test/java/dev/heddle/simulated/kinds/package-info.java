// SPDX-License-Identifier: Apache-2.0
/// The seven kinds of bugs that a simulation must find in ordinary blocking code, and a bug of the
/// JDK.
///
/// | enters | leaves |
/// |---|---|
/// | - | the table [BugKinds], to `BugKindsTest` |
///
/// Each program is what such code looks like in a service, in small. Read [BugKinds] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.kinds;
