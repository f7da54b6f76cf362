// SPDX-License-Identifier: Apache-2.0
/// Other people's own tests, as they publish them, inside coroutines.
///
/// | enters | leaves |
/// |---|---|
/// | test artifacts from Maven Central | the names of tests that pass on a thread and fail in a coroutine |
///
/// Each suite runs twice in one JVM: on a plain thread, the control, and in coroutines. Read
/// [Outcomes] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.libraries.suites;
