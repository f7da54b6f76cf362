// SPDX-License-Identifier: Apache-2.0
/// The JDK's locks, queues and other ways to wait, tested by many coroutines of one loop at once.
///
/// | enters | leaves |
/// |---|---|
/// | locks, queues, parks, monitors, futures of the JDK | the tests that fail in a crowd, by name |
///
/// Each class of tests runs three times: each test on a virtual thread of the JDK's, the control;
/// each as the main coroutine of a loop; and all at once, several copies of each, as coroutines of
/// one loop. Whatever helpers a test needs are of the kind that the test is. Read [Crew] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.libraries.crowd;
