// SPDX-License-Identifier: Apache-2.0
/// The other JVMs of a contender that is a cluster: started by the contender's own JVM, over
/// loopback, and ended by it.
///
/// | enters | leaves |
/// |---|---|
/// | the class of a [dev.heddle.bench.partner.Partner], from the contender | its address, as it says itself |
///
/// Threads: those of the program that asks. Read [dev.heddle.bench.partner.PartnerProcess] first.
@NullMarked
package dev.heddle.bench.partner;

import org.jspecify.annotations.NullMarked;
